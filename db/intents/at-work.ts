/**
 * SQL condition over `signer_accounts a`: the key is in the catalogue and its network is not at rest, or the key still has a queued
 * intent or an open slot.
 */
export const isAtWork = `(a.dismissed_at IS NULL AND EXISTS (SELECT 1 FROM networks r WHERE r.id = a.network_id AND r.rested_at IS NULL)
  OR EXISTS (SELECT 1 FROM tx_slots s WHERE s.account_id = a.id AND s.state <> 'confirmed')
  OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued'))`;

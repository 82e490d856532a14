import type { CallIntent, DealIntent, QueuedIntent } from '../../domain/lane.ts';

/** A row of `tx_intents i` with what it needs of its payment `p`. */
export interface IntentRow {
  id: string;
  purpose: DealIntent['purpose'] | CallIntent['purpose'];
  payment_id: string | null;
  diamond_address: string | null;
  deal_id: string | null;
  terms_hash: string | null;
  to_address: string | null;
  data: Buffer | null;
}

/** The columns of `IntentRow`, of `tx_intents i` left-joined with `payments p`. */
export const intentColumns =
  'i.id, i.purpose, i.payment_id, i.to_address, i.data, p.diamond_address, p.deal_id, p.terms_hash';

/** What a lane works with. */
export const toQueuedIntent = (row: IntentRow): QueuedIntent => {
  if (row.purpose === 'create_deal' || row.purpose === 'cancel_deal') {
    if (row.payment_id === null || row.diamond_address === null || row.deal_id === null || row.terms_hash === null) {
      throw new Error(`Intent ${row.id} has no deal`);
    }
    return {
      kind: 'deal',
      id: row.id,
      purpose: row.purpose,
      paymentId: row.payment_id,
      diamond: row.diamond_address,
      dealId: BigInt(row.deal_id),
      termsHash: row.terms_hash,
    };
  }
  if (row.to_address === null || row.data === null) throw new Error(`Intent ${row.id} has no call`);
  return { kind: 'call', id: row.id, purpose: row.purpose, to: row.to_address, data: `0x${row.data.toString('hex')}` };
};

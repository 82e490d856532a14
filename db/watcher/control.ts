import type { Knex } from 'knex';
import type { CutPlace, WantedControl } from '../../domain/ports/watcher.ts';

/** The roles, root and guardian that the catalogue expects in the registry of a network. */
export const loadWantedControl = async (knex: Knex, networkId: string): Promise<WantedControl> => {
  const { rows } = await knex.raw<{ rows: [{ root: string; guardian: string; roles: WantedControl['roles'] }] }>(
    `SELECT n.root, n.guardian, (
       SELECT coalesce(jsonb_agg(jsonb_build_object('role', a.role, 'account', a.address)), '[]') FROM signer_accounts a
       WHERE a.network_id = n.id AND a.dismissed_at IS NULL) AS roles
     FROM networks n WHERE n.id = :network_id`,
    { network_id: networkId },
  );
  const [{ root, guardian, roles }] = rows;
  return { root, roles: [...roles, { role: 'guardian', account: guardian }] };
};

/** The cuts of our own diamonds, by their index. A cut was requested when an upgrader's lane sent it. */
export const loadCutsOfOurs = async (
  knex: Knex,
  networkId: string,
  cuts: readonly CutPlace[],
): Promise<{ index: number; isWanted: boolean }[]> => {
  const { rows } = await knex.raw<{ rows: { index: number; isWanted: boolean }[] }>(
    `SELECT c.position::int - 1 AS index, EXISTS (SELECT 1 FROM tx_attempts a JOIN tx_intents i ON i.slot_id = a.slot_id
       WHERE a.tx_hash = c.tx_hash AND i.purpose = 'diamond_cut' AND i.to_address = c.diamond) AS "isWanted"
     FROM unnest(:diamonds::text[], :hashes::text[]) WITH ORDINALITY AS c (diamond, tx_hash, position)
     JOIN diamonds d ON d.network_id = :network_id AND d.address = c.diamond
     ORDER BY c.position`,
    {
      network_id: networkId,
      diamonds: cuts.map(({ diamond }) => diamond),
      hashes: cuts.map(({ transactionHash }) => transactionHash),
    },
  );
  return rows;
};

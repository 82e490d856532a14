import type { Knex } from 'knex';
import type { Application, Resumption } from './application.ts';
import type { CatalogueNetwork } from './file.ts';
import { retirements, type NetworkRetirement } from './rest.ts';

/** The retirements and resumptions of an application. */
export interface RetirementChanges {
  /** Ids of newly retired networks. */
  readonly retired: readonly string[];
  readonly resumed: readonly Resumption[];
  /** Rows written. */
  readonly changes: number;
}

/**
 * Retires and resumes networks by the file. A network that was at rest is watched from the newest block on, like a new one: none
 * of its payments could change meanwhile, and reading a year of blocks would delay new ones for days.
 */
export const writeRetirements = async ({ trx, catalogue, networks }: Application): Promise<RetirementChanges> => {
  const idsOf = (retired: boolean): string[] =>
    catalogue.networks.filter((network) => network.retired === retired).map(({ name }) => networks[name]!);
  const { rows: retired } = await trx.raw<{ rows: { id: string }[] }>(
    `UPDATE networks SET retired_at = clock_timestamp(), updated_at = now()
     WHERE id = ANY(:ids) AND retired_at IS NULL RETURNING id`,
    { ids: idsOf(true) },
  );
  const { rows: back } = await trx.raw<{ rows: { id: string; network: string; was_at_rest: boolean }[] }>(
    `UPDATE networks n SET retired_at = NULL, rested_at = NULL, updated_at = now()
     FROM (SELECT id, rested_at IS NOT NULL AS was_at_rest FROM networks WHERE id = ANY(:ids) AND retired_at IS NOT NULL FOR UPDATE) old
     WHERE n.id = old.id RETURNING n.id, n.name AS network, old.was_at_rest`,
    { ids: idsOf(false) },
  );
  const rested = back.filter((network) => network.was_at_rest);
  const resumed: Resumption[] = [];
  for (const { id, network } of rested) {
    resumed.push({ networkId: id, network, lastBlock: await beginAnew(trx, id) });
  }
  return { retired: retired.map(({ id }) => id), resumed, changes: retired.length + back.length };
};

/**
 * Resets the cursor of a network's watcher. A run that still hangs loses its lease.
 * @returns the previous block of the cursor
 */
const beginAnew = async (trx: Knex, networkId: string): Promise<string | null> => {
  const { rows } = await trx.raw<{ rows: { number: string | null }[] }>(
    `UPDATE watch_cursors c SET number = NULL, hash = NULL, confirmed_number = NULL, fence = c.fence + 1, status = 'active',
       status_detail = NULL, updated_at = now()
     FROM (SELECT network_id, number FROM watch_cursors WHERE network_id = :id FOR UPDATE) old
     WHERE c.network_id = old.network_id RETURNING old.number`,
    { id: networkId },
  );
  await trx.raw('DELETE FROM block_headers WHERE network_id = :id', { id: networkId });
  await trx.raw('DELETE FROM network_looks WHERE network_id = :id', { id: networkId });
  return rows[0]?.number ?? null;
};

/** Endpoints and quorum of a network, from the file, or the stored ones when the file names none. */
export const endpointsOf = async (
  trx: Knex,
  networkId: string | undefined,
  { rpc_urls, quorum }: Pick<CatalogueNetwork, 'rpc_urls' | 'quorum'>,
): Promise<{ readonly rpc_urls: readonly string[]; readonly quorum: number }> => {
  if (rpc_urls != null) return { rpc_urls, quorum };
  return trx('networks').where({ id: networkId }).first('rpc_urls', 'quorum');
};

/** Lists the retired networks to report: newly retired ones, and all that are not at rest yet. */
export const retirementsToReport = async (knex: Knex, justRetired: readonly string[]): Promise<NetworkRetirement[]> =>
  (await retirements(knex)).filter(({ networkId, isAtRest }) => !isAtRest || justRetired.includes(networkId));

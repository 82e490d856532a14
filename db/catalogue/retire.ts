/**
 * Retired networks. A retired network takes nothing new. It is at rest once nothing of it can be paid or reversed; then no
 * endpoint of it is asked.
 */
import type { Knex } from 'knex';
import { databaseNow, revealedUntil, isBehindRestore } from '../intents/conditions.ts';
import { openDeal } from '../intents/deals.ts';
import { hasRows, plannedRowsOf, rowsOf } from '../query/statements.ts';
import type { Application, NetworkRetirement, Resumption } from './application.ts';
import type { CatalogueNetwork } from './file.ts';

/** SQL condition over `networks n`: an intent is queued, or a slot is open. */
const isSending = `EXISTS (SELECT 1 FROM signer_accounts a WHERE a.network_id = n.id AND (
    EXISTS (SELECT 1 FROM tx_slots s WHERE s.account_id = a.id AND s.state <> 'confirmed')
    OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued')))`;

/** SQL conditions over `payments p` of a network. Together they select all open web3 payments, each by an index. */
const open = [openDeal('p'), `p.status = 'processing'`];

/** SQL condition over `networks n`: a payment, deployment, intent or slot is open. */
const hasOpen = `(${open.map((status) => `EXISTS (SELECT 1 FROM payments p WHERE p.network_id = n.id AND ${status})`).join(' OR ')}
  OR EXISTS (SELECT 1 FROM deployments d WHERE d.network_id = n.id AND d.status = 'started') OR ${isSending})`;

/**
 * SQL of the newest final block of `networks n`, which no followed reorganisation reaches. Nothing can be paid up to its
 * timestamp in Unix seconds, capped by the clock, because one endpoint may have reported a false one. Without such a block
 * nothing is final.
 */
const final = `(SELECT coalesce(max(c.number - n.finality), -1) AS number,
    coalesce(least(max(h.timestamp), ${databaseNow}), 0) AS timestamp
  FROM watch_cursors c LEFT JOIN block_headers h ON h.network_id = c.network_id AND h.number = c.number - n.finality
  WHERE c.network_id = n.id)`;

/**
 * SQL condition over an ended payment `p` of a network whose newest final block is `f`: its deal was on the chain, may still get
 * there, or somebody has an offer of it that was not over by that block.
 */
const hadDeal = `(p.deal_block_number IS NOT NULL OR ${revealedUntil('p')} > f.timestamp
    OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.payment_id = p.id AND i.slot_id IS NOT NULL))`;

/** SQL conditions over `payments p` of a network whose newest final block is `f`, each by an index. */
const changing = [
  // A reorganisation may remove these payments. A paid deal is not paid again.
  `p.status = 'completed' AND p.paid_block_number > f.number`,
  `p.status IN ('expired', 'canceled', 'failed') AND p.paid_block_number > f.number`,
  // A removed payment may come back while the watcher looks for it.
  `p.reversed_at IS NOT NULL AND (p.expires_unix > f.timestamp OR p.reversed_at > clock_timestamp() - interval '1 day')`,
  // A deal is payable until its expiry, unless the block that ended it is final.
  `p.payment_method = 'web3' AND p.status IN ('expired', 'canceled', 'failed') AND p.expires_unix > f.timestamp
    AND p.paid_block_number IS NULL
    AND NOT coalesce(p.cancel_block_number <= f.number OR p.conflict_block_number <= f.number, false) AND ${hadDeal}`,
];

/** SQL condition over `networks n`: something that has ended may still be paid or reversed. */
const mayChange = `EXISTS (SELECT 1 FROM ${final} f WHERE
    EXISTS (SELECT 1 FROM signer_accounts a JOIN tx_slots s ON s.account_id = a.id WHERE a.network_id = n.id AND s.block_number > f.number)
    ${changing.map((which) => `OR EXISTS (SELECT 1 FROM payments p WHERE p.network_id = n.id AND ${which})`).join('\n    ')})`;

/** Names of the networks that began to rest, and of those that are watched again. */
export interface Rests {
  readonly resting: readonly string[];
  readonly woken: readonly string[];
}

/**
 * Lets retired networks rest on which nothing can be paid or reversed. Wakes one where a request from before the retirement
 * has added something: it is carried out like everything else that was accepted.
 */
export const restRetired = async (knex: Knex): Promise<Rests> => {
  const write = async (set: string, from: string, which: string): Promise<string[]> => {
    // The first condition again, for a row that another worker has changed meanwhile.
    const rows = await rowsOf<{ name: string }>(knex)(`UPDATE networks n SET rested_at = ${set} WHERE ${from}
         AND n.id = ANY (ARRAY(SELECT n.id FROM networks n WHERE ${from} AND ${which})) RETURNING n.name`);
    return rows.map(({ name }) => name);
  };
  const retired = await plannedRowsOf(knex)('SELECT 1 FROM networks WHERE retired_at IS NOT NULL LIMIT 1');
  if (retired.length === 0) return { resting: [], woken: [] };
  const woken = await write('NULL', 'n.rested_at IS NOT NULL', hasOpen);
  const inUse = 'n.retired_at IS NOT NULL AND n.rested_at IS NULL';
  // The blocks that a restore has lost tell which deals this database does not know.
  const idle = `NOT ${hasOpen} AND NOT ${mayChange} AND NOT ${isBehindRestore('n.id')}`;
  const resting = await write('clock_timestamp()', inUse, idle);
  // Notifies workers, so that watchers and lanes end or begin at once.
  if (woken.length + resting.length > 0) await knex.raw(`SELECT pg_notify('carat_catalogue', '')`);
  return { resting, woken };
};

/** The retired networks, by name. */
export const retirements = (knex: Knex): Promise<NetworkRetirement[]> =>
  rowsOf<NetworkRetirement>(knex)(`SELECT n.id AS "networkId", n.name AS network, n.rested_at IS NOT NULL AS "isAtRest",
       (${open.map((status) => `(SELECT count(*) FROM payments p WHERE p.network_id = n.id AND ${status})`).join(' + ')})::int AS "openPayments",
       (SELECT count(*) FROM deployments d WHERE d.network_id = n.id AND d.status = 'started')::int AS "openDeployments"
     FROM networks n WHERE n.retired_at IS NOT NULL ORDER BY n.name`);

/** True while the network is at rest. */
export const isAtRest = (knex: Knex, networkId: string): Promise<boolean> =>
  hasRows(knex, [networkId])('SELECT 1 FROM networks WHERE id = ? AND rested_at IS NOT NULL');

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
  const retired = await rowsOf<{ id: string }>(trx, { ids: idsOf(true) })(`
     UPDATE networks SET retired_at = clock_timestamp(), updated_at = now()
     WHERE id = ANY(:ids) AND retired_at IS NULL RETURNING id`);
  const back = await rowsOf<{ id: string; network: string; was_at_rest: boolean }>(trx, { ids: idsOf(false) })(`
     UPDATE networks n SET retired_at = NULL, rested_at = NULL, updated_at = now()
     FROM (SELECT id, rested_at IS NOT NULL AS was_at_rest FROM networks WHERE id = ANY(:ids) AND retired_at IS NOT NULL FOR UPDATE) old
     WHERE n.id = old.id RETURNING n.id, n.name AS network, old.was_at_rest`);
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
  const rows = await rowsOf<{ number: string | null }>(trx, { id: networkId })(`
     UPDATE watch_cursors c SET number = NULL, hash = NULL, confirmed_number = NULL, fence = c.fence + 1, status = 'active',
       status_detail = NULL, updated_at = now()
     FROM (SELECT network_id, number FROM watch_cursors WHERE network_id = :id FOR UPDATE) old
     WHERE c.network_id = old.network_id RETURNING old.number`);
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

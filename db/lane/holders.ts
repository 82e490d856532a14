import type { Knex } from 'knex';
import { isAtWork } from '../intents/conditions.ts';
import { planned } from '../query/statements.ts';
import type { SignerAccount } from './accounts.ts';

/** Seconds after which a worker that no longer renews its keys stops counting as their holder. */
export const HOLDER_SECONDS = 10;

const isAlive = `h.seen_at > clock_timestamp() - interval '${HOLDER_SECONDS} seconds'`;

/**
 * SQL condition: a worker holds the key of this account now.
 * @param alias of `signer_accounts`
 */
export const isHeld = (alias: string): string =>
  `EXISTS (SELECT 1 FROM key_holders h WHERE h.address = ${alias}.address AND ${isAlive})`;

/** A key with the name of its network, for messages. */
export interface NamedKey extends SignerAccount {
  readonly network: string;
}

/** The key's name in a message. */
export const nameKey = ({ role, address, network }: Pick<NamedKey, 'role' | 'address' | 'network'>): string =>
  `the ${role} ${address} on ${network}`;

/** SQL condition: Temporal has answered another worker of late, after it stopped answering this one. */
const isTemporalThere = `EXISTS (SELECT 1 FROM processes p WHERE p.kind = 'worker'
  AND p.temporal_at > clock_timestamp() - make_interval(secs => least(:silent_ms / 1000.0, ${HOLDER_SECONDS})))`;

/**
 * Records that a worker holds these keys, and deletes workers that died. Rows locked elsewhere are skipped, so that workers
 * never wait for each other. A worker that Temporal does not answer runs no lane: it no longer counts as a holder while Temporal answers
 * another worker. While Temporal answers none, it still does, because no key is missing then.
 * @param silentMs milliseconds since Temporal was first found not to answer this worker; null while it answers
 */
export const renewHolder = async (
  knex: Knex,
  workerId: string,
  addresses: readonly string[],
  silentMs: number | null = null,
): Promise<void> => {
  await planned(
    knex,
    `INSERT INTO key_holders (worker_id, address) SELECT :worker_id, unnest(:addresses::text[]) WHERE :silent_ms::float8 IS NULL OR NOT ${isTemporalThere}
     ON CONFLICT (worker_id, address) DO UPDATE SET seen_at = excluded.seen_at`,
    { worker_id: workerId, addresses, silent_ms: silentMs },
  );
  await planned(
    knex,
    `DELETE FROM key_holders WHERE (worker_id, address) IN (
       SELECT h.worker_id, h.address FROM key_holders h WHERE NOT (${isAlive}) AND h.worker_id <> :worker_id
       FOR UPDATE SKIP LOCKED)`,
    { worker_id: workerId },
  );
};

/** Records that a worker has stopped and holds no key. */
export const forgetHolder = async (knex: Knex, workerId: string): Promise<void> => {
  await knex('key_holders').where({ worker_id: workerId }).delete();
};

/** True while any worker holds a key. While none does, nobody knows which keys will be held. */
export const hasHolders = async (knex: Knex): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: unknown[] }>(`SELECT 1 FROM key_holders h WHERE ${isAlive} LIMIT 1`);
  return rows.length > 0;
};

const namedKeys = `SELECT a.id, a.network_id AS "networkId", a.address, a.role, n.name AS network
  FROM signer_accounts a JOIN networks n ON n.id = a.network_id`;

/** Keys with work that no worker holds. */
export const keysWithoutHolder = async (knex: Knex): Promise<NamedKey[]> => {
  const { rows } = await planned<{ rows: NamedKey[] }>(
    knex,
    `${namedKeys} WHERE ${isAtWork} AND NOT ${isHeld('a')} ORDER BY n.name, a.role, a.address`,
  );
  return rows;
};

/** Keys of the catalogue, of networks that are not at rest. */
export const keysInUse = async (knex: Knex): Promise<NamedKey[]> => {
  const { rows } = await knex.raw<{ rows: NamedKey[] }>(
    `${namedKeys} WHERE a.dismissed_at IS NULL AND n.rested_at IS NULL ORDER BY n.name, a.role, a.address`,
  );
  return rows;
};

import type { Knex } from 'knex';
import type { LaneLimits, LaneRole } from '../../domain/ports/lane.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import { isAtWork } from '../intents/conditions.ts';
import { isHeld } from './holders.ts';
import { knownLimits } from '../intents/conditions.ts';

/** A lane at a glance. Counts end at `COUNTED`; ages are in seconds, by the database's clock. */
export interface LaneLook {
  readonly id: string;
  readonly network_id: string;
  readonly network: string;
  readonly role: LaneRole;
  readonly address: string;
  readonly status: 'active' | 'paused';
  /** Why it is paused. */
  readonly status_detail: string | null;
  /** True when the key has left the catalogue: the lane only finishes its open slots. */
  readonly is_dismissed: boolean;
  /** True while a worker holds the key. */
  readonly is_held: boolean;
  readonly next_nonce: number;
  readonly max_inflight: number;
  /** Intents without a nonce, and the age of the oldest. */
  readonly queued: number;
  readonly queued_age: number | null;
  /** Number of queued intents by their waiting reasons, of those counted. */
  readonly waiting: Readonly<Partial<Record<WaitingDetail, number>>>;
  /** Slots that are in no block yet. */
  readonly in_flight: number;
  /** The lowest nonce of these, and its age. */
  readonly head_nonce: number | null;
  readonly head_age: number | null;
  /** Slots in a block without the network's confirmations. */
  readonly mined: number;
  /** What endpoints demand of its transactions: the least `tip` in wei, the most `data` in bytes, the most `gas`; as text. */
  readonly limits: Readonly<Partial<Record<keyof LaneLimits, string>>>;
}

/** Most intents and slots of a lane that are counted. */
export const COUNTED_INTENTS = 10_000;

const ageOf = (time: string): string => `extract(epoch FROM clock_timestamp() - ${time})::double precision`;

const looks = `SELECT a.id, a.network_id, n.name AS network, a.role, a.address, a.status, a.status_detail,
    a.dismissed_at IS NOT NULL AS is_dismissed, ${isHeld('a')} AS is_held, a.next_nonce::double precision, a.max_inflight,
    coalesce(${knownLimits('a')}, '{}') AS limits,
    q.queued, q.queued_age, q.waiting, s.in_flight, s.head_nonce, s.head_age, s.mined
  FROM signer_accounts a JOIN networks n ON n.id = a.network_id
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(part.count), 0)::int AS queued, ${ageOf('min(part.oldest)')} AS queued_age,
      coalesce(jsonb_object_agg(part.waiting, part.count) FILTER (WHERE part.waiting IS NOT NULL), '{}') AS waiting
    FROM (SELECT i.waiting, count(*) AS count, min(i.created_at) AS oldest FROM (
      -- the order of the queue's index, as in the status
      SELECT i.waiting, i.created_at FROM tx_intents i WHERE i.account_id BETWEEN a.id AND a.id AND i.state = 'queued'
      ORDER BY i.account_id, i.id LIMIT ${COUNTED_INTENTS}) i GROUP BY i.waiting) part) q
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE o.state <> 'mined')::int AS in_flight, count(*) FILTER (WHERE o.state = 'mined')::int AS mined,
      min(o.nonce) FILTER (WHERE o.state <> 'mined')::double precision AS head_nonce,
      ${ageOf(`min(o.created_at) FILTER (WHERE o.state <> 'mined')`)} AS head_age
    FROM (SELECT o.state, o.nonce, o.created_at FROM tx_slots o WHERE o.account_id = a.id AND o.state <> 'confirmed'
      ORDER BY o.nonce LIMIT ${COUNTED_INTENTS}) o) s
  WHERE a.role <> 'signer'`;

/** Reads the lanes that have work or may get some, by network, role and address. */
export const readLaneLooks = async (knex: Knex): Promise<LaneLook[]> => {
  const { rows } = await knex.raw<{ rows: LaneLook[] }>(
    `${looks} AND ${isAtWork} ORDER BY n.name, a.role, a.dismissed_at NULLS FIRST, a.address`,
  );
  return rows;
};

/** Reads the lanes of a network by address or role, in the same order, also those without any work. */
export const findLanes = async (
  knex: Knex,
  { networkId, named }: { readonly networkId: string; readonly named: string },
): Promise<LaneLook[]> => {
  const { rows } = await knex.raw<{ rows: LaneLook[] }>(
    `${looks} AND a.network_id = :network_id AND (a.address = :named OR a.role = :named)
     ORDER BY a.role, a.dismissed_at NULLS FIRST, a.address`,
    { network_id: networkId, named: named.toLowerCase() },
  );
  return rows;
};

/** A slot that is not confirmed, with its newest attempt. Amounts in wei, as text. */
export interface SlotLook {
  readonly nonce: number;
  readonly state: 'assigned' | 'signed' | 'mined';
  /** The purposes of its intents, with the number of each, such as `{"create_deal": 10}`. */
  readonly purposes: Readonly<Record<string, number>>;
  readonly created_at: Date;
  readonly attempts: number;
  readonly tx_hash: string | null;
  readonly max_fee_per_gas: string | null;
  readonly last_sent_at: Date | null;
  /** The endpoint's refusal of the newest attempt. */
  readonly last_error: string | null;
  readonly block_number: number | null;
}

/** Most slots that are shown. */
const SHOWN = 50;

/** Reads the first open slots of a lane, by nonce. */
export const readOpenSlots = async (knex: Knex, accountId: string): Promise<SlotLook[]> => {
  const { rows } = await knex.raw<{ rows: SlotLook[] }>(
    `SELECT s.nonce::double precision, s.state, s.created_at, s.block_number::double precision,
       (SELECT coalesce(jsonb_object_agg(p.purpose, p.count), '{}') FROM (SELECT i.purpose, count(*) AS count FROM tx_intents i
         WHERE i.slot_id = s.id GROUP BY i.purpose) p) AS purposes,
       coalesce(a.seq, 0) AS attempts, coalesce(s.tx_hash, a.tx_hash) AS tx_hash, a.max_fee_per_gas, a.last_sent_at, a.last_error
     FROM tx_slots s LEFT JOIN LATERAL (SELECT * FROM tx_attempts t WHERE t.slot_id = s.id ORDER BY t.seq DESC LIMIT 1) a ON true
     WHERE s.account_id = :account_id AND s.state <> 'confirmed' ORDER BY s.nonce LIMIT ${SHOWN}`,
    { account_id: accountId },
  );
  return rows;
};

/** Slots over which the cost of a transaction is averaged. */
const AVERAGED = 20;

/** Average cost in wei of the lane's newest confirmed transactions; null before the first. */
export const usualCost = async (knex: Knex, accountId: string): Promise<bigint | null> => {
  const { rows } = await knex.raw<{ rows: [{ cost: string | null }] }>(
    `SELECT ceil(avg(s.gas_used * s.effective_gas_price))::numeric(78, 0) AS cost FROM (
       SELECT gas_used, effective_gas_price FROM tx_slots WHERE account_id = :account_id AND state = 'confirmed' AND gas_used > 0
       ORDER BY nonce DESC LIMIT ${AVERAGED}) s`,
    { account_id: accountId },
  );
  const { cost } = rows[0];
  return cost === null ? null : BigInt(cost);
};

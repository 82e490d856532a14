import type { Knex } from 'knex';

/** The work that a lane has before it. Ages are in seconds by the database's clock. */
export interface LaneFigures {
  readonly network: string;
  readonly role: 'operator' | 'upgrader';
  readonly address: string;
  readonly is_paused: boolean;
  /** Intents without a nonce. */
  readonly queued: number;
  /** Slots that are in no block yet. */
  readonly in_flight: number;
  /** Age of the oldest of those slots; 0 without any. */
  readonly head_age: number;
}

/** Most intents of a lane that are counted. */
const COUNTED = 10_000;

const ageOf = (time: string): string =>
  `coalesce(greatest(0, extract(epoch FROM clock_timestamp() - ${time})), 0)::double precision`;

/** Reads the lanes, those that need attention first: paused, then by the age of their heads and their queues. */
export const readLaneFigures = async (knex: Knex): Promise<LaneFigures[]> => {
  const { rows } = await knex.raw<{ rows: LaneFigures[] }>(
    `SELECT n.name AS network, a.role, a.address, a.status = 'paused' AS is_paused, q.queued, s.in_flight, s.head_age
     FROM signer_accounts a JOIN networks n ON n.id = a.network_id
     CROSS JOIN LATERAL (SELECT count(*)::int AS queued FROM (
       SELECT 1 FROM tx_intents i WHERE i.account_id BETWEEN a.id AND a.id AND i.state = 'queued' LIMIT ${COUNTED}) i) q
     CROSS JOIN LATERAL (SELECT count(*)::int AS in_flight, ${ageOf('min(t.created_at)')} AS head_age FROM tx_slots t
       WHERE t.account_id = a.id AND t.state <> 'confirmed' AND t.state <> 'mined') s
     WHERE a.role <> 'signer' AND n.rested_at IS NULL AND (a.dismissed_at IS NULL OR q.queued + s.in_flight > 0)
     ORDER BY is_paused DESC, s.head_age DESC, q.queued DESC, n.name, a.address`,
  );
  return rows;
};

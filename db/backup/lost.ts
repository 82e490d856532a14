import type { Knex } from 'knex';
import { isBehindRestore } from '../intents/lost-time.ts';
import type { Mark } from './mark.ts';

/** A lane of a restored database. */
export interface MarkedLane {
  readonly network: string;
  readonly role: string;
  readonly address: string;
  /** Next nonce that the quorum counted at the mark. */
  readonly nonce: number;
  /** Null while the lane has not been judged. */
  readonly outcome: 'unneeded' | 'resumed' | 'paused' | 'superseded' | null;
}

/** A deal on one of our diamonds that no payment of the restored database has. */
export interface LostDeal {
  readonly node: string;
  readonly network: string;
  readonly wallet_id: string;
  readonly diamond: string;
  readonly deal_id: string;
  /** The transactions that show it, oldest first: `created`, `paid`, `cancelled` or `conflict`. */
  readonly events: readonly { readonly event: string; readonly transaction_hash: string | null }[];
}

/** The losses of a restore, as far as they are known by now. */
export interface Losses {
  readonly lanes: readonly MarkedLane[];
  readonly deals: readonly LostDeal[];
  /** Networks whose watcher has yet to read blocks of the lost time: more deals may become known, and cancels wait. */
  readonly networks_behind: readonly string[];
  /** Until then, buyers may pay by offers that they got in the lost time. */
  readonly offers_until: Date;
}

/**
 * Reads the outcomes of the lanes, and the deals unknown to the database.
 * @param node name of a node; null for all
 */
export const lossesOf = async (knex: Knex, mark: Mark, node: string | null): Promise<Losses> => {
  const { rows: lanes } = await knex.raw<{ rows: MarkedLane[] }>(
    `SELECT n.name AS network, a.role, a.address, l.nonce::float8 AS nonce, l.outcome
     FROM restored_lanes l JOIN signer_accounts a ON a.id = l.account_id JOIN networks n ON n.id = a.network_id
     WHERE l.restore_id = :id ORDER BY n.name, a.role, a.address`,
    { id: mark.id },
  );
  const { rows: deals } = await knex.raw<{ rows: LostDeal[] }>(
    `SELECT o.name AS node, n.name AS network, d.wallet_id, d.address AS diamond, a.data ->> 'deal_id' AS deal_id,
       jsonb_agg(jsonb_build_object('event', coalesce(a.data ->> 'event', '-'), 'transaction_hash', a.data ->> 'transaction_hash') ORDER BY a.created_at) AS events
     FROM alerts a JOIN diamonds d ON d.network_id = a.network_id AND d.address = a.data ->> 'diamond'
     JOIN networks n ON n.id = a.network_id JOIN wallets w ON w.id = d.wallet_id JOIN nodes o ON o.id = w.node_id
     WHERE a.kind = 'deal_unknown' AND a.created_at >= :marked_at AND (:node::text IS NULL OR o.name = :node)
     GROUP BY o.name, n.name, d.wallet_id, d.address, a.data ->> 'deal_id' ORDER BY min(a.created_at)`,
    { marked_at: mark.marked_at, node } as Record<string, Knex.Value>,
  );
  const { rows: windows } = await knex.raw<{ rows: [{ until: Date }] }>(
    `SELECT :marked_at::timestamptz + make_interval(secs => 2 * longest) AS until FROM offer_windows`,
    { marked_at: mark.marked_at },
  );
  const { rows: behind } = await knex.raw<{ rows: { name: string }[] }>(
    `SELECT n.name FROM networks n WHERE n.rested_at IS NULL AND ${isBehindRestore('n.id')} ORDER BY n.name`,
  );
  return { lanes, deals, networks_behind: behind.map(({ name }) => name), offers_until: windows[0].until };
};

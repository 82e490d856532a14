import type { Knex } from 'knex';
import { isUuid } from '../../domain/tools/is-uuid.ts';
import { type PaymentRecord, paymentRow } from '../payments/read.ts';
import { rowsOf } from '../query/statements.ts';

/** A payment as an operator sees it, of any node. Block numbers are plain numbers. */
export interface PaymentLook extends Omit<PaymentRecord, 'items' | 'member'> {
  readonly node: string;
  /** The node without a parent above the payment's node. */
  readonly root_id: string;
  readonly network: string;
  readonly confirmations: number;
  readonly explorer_url: string | null;
  readonly wallet: string | null;
  /** Number of tries to create the deal that had no effect. */
  readonly retries_used: number;
  readonly deal_block_number: number | null;
  readonly paid_block_number: number | null;
  /** The newest block that the watcher of its network has read. */
  readonly head: number | null;
  /** Time of the newest log entry about its waiting reason. */
  readonly waiting_since: Date | null;
  /** Ends of its offers in Unix seconds: wanted, stored, shown to somebody. Null without offers. */
  readonly offered: { readonly wanted: number; readonly signed: number; readonly revealed: number | null } | null;
}

/** Most payments of one name that are returned. */
export const MOST_FOUND = 20;

const ids = `
  SELECT found.id FROM nodes n CROSS JOIN LATERAL (
    SELECT p.id FROM payments p WHERE p.node_id = n.id AND p.external_id = :name LIMIT 1) found
  UNION SELECT p.id FROM nodes n CROSS JOIN LATERAL (
    SELECT c.id FROM checkouts c WHERE c.node_id = n.id AND c.external_id = :name LIMIT 1) found
    JOIN payments p ON p.checkout_id = found.id
  UNION SELECT p.id FROM payments p WHERE p.id = :id::uuid
  UNION SELECT p.id FROM payments p WHERE p.checkout_id = :id::uuid
  UNION SELECT p.id FROM payments p WHERE p.paid_tx_hash = :hash
  UNION SELECT p.id FROM payments p WHERE p.deal_tx_hash = :hash
  UNION SELECT i.payment_id FROM tx_attempts a JOIN tx_intents i ON i.slot_id = a.slot_id
    WHERE a.tx_hash = :hash AND i.payment_id IS NOT NULL`;

const look = `SELECT ${paymentRow('p')}, n.name AS node, w.name AS wallet, net.name AS network, net.confirmations, net.explorer_url,
    (SELECT r.id FROM nodes r WHERE r.id = ANY (n.path) AND r.parent_id IS NULL) AS root_id,
    p.retries_used, p.deal_block_number::double precision, p.paid_block_number::double precision,
    (SELECT c.number::double precision FROM watch_cursors c WHERE c.network_id = p.network_id) AS head,
    (SELECT max(e.created_at) FROM payment_waits e WHERE e.payment_id = p.id AND e.event_type = 'waiting_started'
      AND e.reason = p.status_detail) AS waiting_since,
    (SELECT jsonb_build_object('wanted', o.wanted_until, 'signed', o.signed_until, 'revealed', o.revealed_until)
      FROM offer_ends o WHERE o.payment_id = p.id) AS offered
  FROM payments p JOIN nodes n ON n.id = p.node_id JOIN networks net ON net.id = p.network_id
  LEFT JOIN wallets w ON w.id = p.wallet_id`;

const isHash = (name: string): boolean => /^0x[0-9a-f]{64}$/i.test(name);

/**
 * Finds payments of all nodes, newest first, up to `MOST_FOUND` and one more.
 * @param name id or external id of a payment or of an order, or the hash of a transaction of the deal or of the buyer
 */
export const findPaymentsNamed = (knex: Knex, name: string): Promise<PaymentLook[]> =>
  rowsOf<PaymentLook>(knex, { name, id: isUuid(name) ? name : null, hash: isHash(name) ? name.toLowerCase() : null })(
    `${look} WHERE p.id = ANY (ARRAY(${ids})) ORDER BY p.created_at DESC, p.id DESC LIMIT ${MOST_FOUND + 1}`,
  );

/** A requested effect of a payment on the chain, and how far it has got. */
export interface IntentLook {
  readonly purpose: 'create_deal' | 'cancel_deal';
  readonly state: 'queued' | 'assigned' | 'settled' | 'withdrawn';
  readonly waiting: string | null;
  readonly outcome: string | null;
  readonly created_at: Date;
  /** Address of its lane. */
  readonly lane: string;
  readonly nonce: number | null;
  readonly slot_state: 'assigned' | 'signed' | 'mined' | 'confirmed' | null;
  readonly attempts: number;
  readonly tx_hash: string | null;
  readonly block_number: number | null;
  /** The endpoint's refusal of the newest attempt. */
  readonly last_error: string | null;
}

/** Reads the intents of a payment, oldest first. */
export const intentsOfPayment = (knex: Knex, paymentId: string): Promise<IntentLook[]> =>
  rowsOf<IntentLook>(knex, { payment_id: paymentId })(`
     SELECT i.purpose, i.state, i.waiting, i.outcome, i.created_at, l.address AS lane, s.nonce::double precision,
       s.state AS slot_state, coalesce(a.seq, 0) AS attempts, coalesce(s.tx_hash, a.tx_hash) AS tx_hash,
       s.block_number::double precision, a.last_error
     FROM tx_intents i JOIN signer_accounts l ON l.id = i.account_id LEFT JOIN tx_slots s ON s.id = i.slot_id
     LEFT JOIN LATERAL (SELECT * FROM tx_attempts t WHERE t.slot_id = s.id ORDER BY t.seq DESC LIMIT 1) a ON true
     WHERE i.payment_id = :payment_id ORDER BY i.id`);

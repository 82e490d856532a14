import type { Knex } from 'knex';
import {
  transitions,
  type DealMode,
  type TransitionName,
  isTerminal,
  type ActorType,
  type PaymentStatus,
  type WrittenBy,
  type Writer,
  notes,
  type NoteName,
} from '../../domain/payment.ts';
import { measure } from '../../runtime/measures.ts';
import type { DealIntent } from '../../domain/ports/lane.ts';
import type { PaymentTransition } from '../../domain/ports/outbox.ts';
import { settleCheckouts } from '../choices/settle.ts';
import { eventStatements, wakeSender } from '../webhooks/events.ts';
import { execute, executePlanned, plannedRowsOf } from '../query/statements.ts';
import { guards } from './guards.ts';
import { pagePayloads, notifyPages, PAGES } from '../outbox/pages.ts';
import { signalledFrom } from '../outbox/commands.ts';

/** The columns of a moved payment that the metrics need. Ages in seconds: since its creation, and since its change before. */
export interface CountedRow {
  readonly id: string;
  readonly network_id: string;
  readonly deal_mode: DealMode;
  readonly created: number;
  readonly changed: number;
}

const tell = (name: TransitionName, rows: readonly CountedRow[]): void => {
  const { log: event, to: status } = transitions[name];
  for (const own of Map.groupBy(rows, (row) => `${row.network_id} ${row.deal_mode}`).values()) {
    const { network_id: networkId, deal_mode: mode } = own[0]!;
    measure('payments', { networkId, transition: name, event, status, mode, moved: own });
  }
};

/** Reports a transition to the metrics once its transaction has committed. */
export const countMoves = (trx: Knex, name: TransitionName, rows: readonly CountedRow[]): void => {
  const { executionPromise: committed } = trx as Knex & { readonly executionPromise?: Promise<unknown> };
  if (committed === undefined) return tell(name, rows);
  committed.then(
    () => tell(name, rows),
    () => {},
  );
};

/**
 * The payments that move, and the data that is recorded with the move. Statuses, detail, log and webhook come from the
 * table.
 */
export interface TransitionRequest {
  readonly name: TransitionName;
  /** SQL condition over `payments p`, with named bindings. */
  readonly where: string;
  readonly bindings: Record<string, unknown>;
  readonly actor: { readonly type: ActorType; /** SQL over the moved payment `m` */ readonly id?: string };
  /**
   * SQL of a jsonb object over the moved payment `m`: hashes, blocks, reasons. `m.old_paid_…` are values from before
   * the move.
   */
  readonly data?: string;
  /** More assignments, SQL over `p`. */
  readonly set?: string;
}

/**
 * Moves every payment that fits, in one statement: the guarded update, the log entry, the signals to the workflows and the
 * webhook events. Queued intents that the new status makes useless are withdrawn, and the checkouts of ended payments move on. The only
 * writer of `payments.status`.
 * Run it inside the transaction of its cause. The layers call it through `transitionByApi` and its siblings, which add the
 * guard.
 * @returns ids of the payments that moved
 */
export const transition = async (trx: Knex, request: TransitionRequest): Promise<string[]> => {
  const { from, to, detail, log, message, webhook } = transitions[request.name];
  // Arrays instead of joins: the planner overestimates how many fit, and a join would then read the whole table.
  const rows = await plannedRowsOf<MovedRow>(trx, {
    ...request.bindings,
    from_statuses: from,
    to_status: to,
    status_detail: detail === 'clear' ? null : detail,
    is_terminal: isTerminal(to),
    event_type: log,
    message,
    actor_type: request.actor.type,
  })(`
WITH picked AS (
  SELECT p.id FROM payments p WHERE p.status = ANY(:from_statuses) AND (${request.where}) ORDER BY p.id FOR NO KEY UPDATE
), moved AS (
  UPDATE payments p SET status = :to_status, sequence = p.sequence + 1,
    status_detail = ${detail === 'keep' ? 'p.status_detail' : ':status_detail'},
    updated_at = clock_timestamp(), terminal_at = CASE WHEN :is_terminal THEN clock_timestamp() END
    ${request.set === undefined ? '' : `, ${request.set}`}
  WHERE p.id = ANY (ARRAY(SELECT id FROM picked))
  RETURNING p.*, old.updated_at AS old_updated_at, old.paid_tx_hash AS old_paid_tx_hash, old.paid_block_number AS old_paid_block_number,
    old.paid_block_hash AS old_paid_block_hash
), described AS (
  SELECT m.*, ${request.data ?? `'{}'::jsonb`} AS data, ${request.actor.id ?? 'NULL'}::text AS actor_id FROM moved m
), logged AS (
  INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type, actor_id, data, created_at)
  SELECT d.id, d.sequence, :event_type, d.status, :message, :actor_type, d.actor_id, d.data, d.updated_at
  FROM described d
), signalled AS (
  INSERT INTO outbox (topic, group_key, workflow_id, payment_id, next_attempt_at, payload)
  SELECT 'payment_signal', d.network_id, follower.workflow_id, d.id, ${signalledFrom('d')}, jsonb_build_object(
    'transaction_hash', d.data -> 'transaction_hash', 'block_number', d.data -> 'block_number',
    'block_hash', d.data -> 'block_hash', 'payment_id', d.id, 'sequence', d.sequence, 'event_type', :event_type::text, 'status', d.status,
    'status_detail', d.status_detail, 'at', to_char(d.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  -- null stands for the workflow createPayment, whose id may not be known yet; a payment that waits for a former choice has none
  FROM described d CROSS JOIN LATERAL (SELECT NULL AS workflow_id WHERE NOT d.is_blocked
    UNION ALL SELECT f.workflow_id FROM payment_followers f WHERE f.payment_id = d.id) follower ORDER BY d.id
)${webhook === null ? '' : `, ${eventStatements('moved', webhook)}`}
SELECT id, checkout_id, network_id, deal_mode, extract(epoch FROM updated_at - created_at)::double precision AS created,
  extract(epoch FROM updated_at - old_updated_at)::double precision AS changed ${webhook === null ? '' : `, ${wakeSender}`} FROM moved`);
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return [];
  // A separate statement, because the first one does not see intents that were enqueued while it waited for a payment.
  await executePlanned(trx, {
    ids,
    payloads: pagePayloads(ids),
    unwanted: unwantedIn(to),
    is_terminal: isTerminal(to),
  })(`
     WITH withdrawn AS (
       UPDATE tx_intents SET state = 'withdrawn'
       WHERE payment_id = ANY(:ids) AND purpose = ANY(:unwanted) AND state = 'queued'
     ), ended AS (
       DELETE FROM payment_followers WHERE :is_terminal AND payment_id = ANY(:ids)
     )
     SELECT pg_notify('carat_outbox', ''), ${notifyPages}`);
  if (isTerminal(to)) await settleCheckoutsOf(trx, rows);
  countMoves(trx, request.name, rows);
  return ids;
};

interface MovedRow extends CountedRow {
  readonly checkout_id: string | null;
}

/** Moves the checkouts of ended payments on, and cancels the choices that they no longer need. */
const settleCheckoutsOf = async (trx: Knex, ended: readonly MovedRow[]): Promise<void> => {
  const checkouts = [...new Set(ended.flatMap(({ checkout_id: id }) => id ?? []))];
  if (checkouts.length === 0) return;
  const unwanted = await settleCheckouts(trx, checkouts);
  if (unwanted.length > 0) await dropChoices(trx, unwanted);
};

/**
 * A request of one layer: a transition that the table assigns to the layer, with the block that its log entry needs.
 */
type LayerRequest<Name extends TransitionName> = TransitionRequest & {
  readonly name: Name;
} & ((typeof transitions)[Name]['block'] extends 'none' ? unknown : { readonly data: string });

type Write<Layer extends Writer> = <Name extends WrittenBy<Layer>>(
  trx: Knex,
  request: LayerRequest<Name>,
) => Promise<string[]>;

/** Adds the guard of the row. */
const guarded = (trx: Knex, request: TransitionRequest): Promise<string[]> => {
  const { guard } = transitions[request.name];
  const where = guard === null ? request.where : `(${request.where}) AND (${guards[guard].sql})`;
  return transition(trx, { ...request, where });
};

/** Writes a transition as a request of a merchant. */
export const transitionByApi: Write<'api'> = guarded;
/** Writes a transition that the chain decides. */
export const transitionByWatcher: Write<'watcher'> = guarded;
/** Writes a transition as a step of a workflow. */
export const transitionByWorkflow: Write<'workflow'> = guarded;

/** Writes a transition with the offers that it announces. */
export const transitionBySigner: Write<'signer'> = guarded;

/** Writes a transition that follows from the checkout of the payment. */
export const transitionByCheckout: Write<'checkout'> = guarded;

/**
 * Cancels payments that wait for the end of a former choice of their order. Nothing of them is on a chain; if a deal appears all the
 * same, it is canceled there like that of any other cancel.
 */
export const dropChoices = (trx: Knex, paymentIds: readonly string[]): Promise<string[]> =>
  transitionByCheckout(trx, {
    name: 'choice_dropped',
    where: 'p.id = ANY(:payment_ids)',
    bindings: { payment_ids: paymentIds },
    actor: { type: 'system' },
    set: 'cancel_requested_at = coalesce(p.cancel_requested_at, clock_timestamp())',
  });

/** The purposes of intents that are useless once a payment has this status. */
const unwantedIn = (status: PaymentStatus): readonly DealIntent['purpose'][] => {
  if (status === 'pending') return [];
  return status === 'canceling' ? ['create_deal'] : ['create_deal', 'cancel_deal'];
};

/** SQL of log entries `l` as the changes that workflows receive. */
export const transitionRows = (where: string): string => `
SELECT l.payment_id, l.sequence, l.event_type, l.status,
  CASE WHEN l.sequence = p.sequence THEN p.status_detail END AS status_detail,
  l.data ->> 'transaction_hash' AS transaction_hash,
  (l.data ->> 'block_number')::double precision AS block_number,
  l.data ->> 'block_hash' AS block_hash,
  to_char(l.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
FROM payment_logs l JOIN payments p ON p.id = l.payment_id WHERE ${where}`;

/** All transitions in the logs of these payments, oldest first. */
export const selectTransitions = (knex: Knex, paymentIds: readonly string[]): Promise<PaymentTransition[]> =>
  plannedRowsOf<PaymentTransition>(knex, { payment_ids: paymentIds })(
    `${transitionRows('l.payment_id = ANY(:payment_ids)')} ORDER BY l.payment_id, l.sequence`,
  );

/** A log entry and a webhook event of a payment whose status stays. */
export interface NoteRequest {
  readonly name: NoteName;
  readonly paymentId: string;
  /** Replaces the message of the note in the log. */
  readonly message?: string;
  readonly data: Record<string, unknown>;
}

/**
 * Writes a note: a log entry with the payment's next sequence, the signals to its workflows and the webhook events. Run it
 * inside the transaction of its cause.
 */
export const note = async (trx: Knex, request: NoteRequest): Promise<void> => {
  const { webhook, message } = notes[request.name];
  await execute(trx, {
    payment_id: request.paymentId,
    event_type: request.name,
    message: request.message ?? message,
    data: JSON.stringify(request.data),
  })(`
WITH noted AS (
  UPDATE payments SET sequence = sequence + 1, updated_at = clock_timestamp() WHERE id = :payment_id RETURNING *
), logged AS (
  INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type, data, created_at)
  SELECT n.id, n.sequence, :event_type, n.status, :message, 'chain', :data::jsonb, n.updated_at FROM noted n
), signalled AS (
  INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
  SELECT 'payment_signal', n.network_id, follower.workflow_id, n.id, jsonb_build_object(
    'transaction_hash', :data::jsonb -> 'transaction_hash', 'block_number', :data::jsonb -> 'block_number',
    'block_hash', :data::jsonb -> 'block_hash', 'payment_id', n.id, 'sequence', n.sequence,
    'event_type', :event_type::text, 'status', n.status, 'status_detail', n.status_detail,
    'at', to_char(n.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  FROM noted n CROSS JOIN LATERAL (SELECT NULL AS workflow_id WHERE NOT n.is_blocked
    UNION ALL SELECT f.workflow_id FROM payment_followers f WHERE f.payment_id = n.id) follower
), ${eventStatements('noted', webhook)}
SELECT pg_notify('carat_outbox', ''), pg_notify('${PAGES}', id::text), ${wakeSender} FROM noted`);
};

import type { Knex } from 'knex';
import { paymentLabel, type PaymentLabel } from '../../domain/payment-label.ts';
import { boundTo, execute, executePlanned, plannedRowsOf, rowsOf } from '../query/statements.ts';
import {
  PATIENT_AFTER,
  type CommandClaim,
  type CommandTopic,
  type CreatePaymentCommand,
  type PaymentChange,
  type SignalClaim,
  type StartClaim,
  type WorkflowCommand,
} from '../../domain/ports/outbox.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { measure } from '../../runtime/measures.ts';

interface LabelRow {
  id: string;
  external_id: string;
  paid_price_units: string;
  decimals: number;
  symbol: string;
  network: string;
  order_words: string[] | null;
}

/** Labels by which people recognise these payments. */
const paymentLabels = async (knex: Knex, paymentIds: readonly string[]): Promise<ReadonlyMap<string, PaymentLabel>> => {
  if (paymentIds.length === 0) return new Map();
  const rows = await plannedRowsOf<LabelRow>(knex, { payment_ids: paymentIds })(`
     SELECT p.id, p.external_id, p.paid_price_units, p.decimals, c.symbol, n.name AS network,
       (SELECT ARRAY[o.external_id, o.id::text] FROM checkouts o WHERE o.id = p.checkout_id) AS order_words
     FROM payments p JOIN currencies c ON c.id = p.currency_id JOIN networks n ON n.id = p.network_id
     WHERE p.id = ANY(:payment_ids)`);
  return new Map(
    rows.map((row) => {
      const { external_id: externalId, paid_price_units, decimals, symbol, network } = row;
      const order = row.order_words === null ? {} : { order: row.order_words };
      return [
        row.id,
        paymentLabel({ externalId, ...order, units: BigInt(paid_price_units), decimals, symbol, network }),
      ];
    }),
  );
};

interface OutboxRow<Payload> {
  id: string;
  workflow_id: string;
  payload: Payload;
  attempts: number;
}

const due = (alias: string): string =>
  `${alias}.delivered_at IS NULL AND ${alias}.next_attempt_at <= clock_timestamp()`;

/**
 * SQL: rows are due again when their claim has ended.
 * @param attempts SQL, the failures of the claim
 */
// The transaction's time, not the clock's, so that the rows of one start are due at the same instant.
const lend = (attempts: string): string =>
  `next_attempt_at = now() + :claim_ms * 2 ^ least(${attempts}, ${PATIENT_AFTER}) * interval '1 millisecond'`;

const mostAttempts = (rows: readonly { attempts: number }[]): number =>
  rows.reduce((most, row) => Math.max(most, row.attempts), 0);

/** SQL: the rows of a claim, locked in the order of their ids, as claims lock them. */
const claimed = 'SELECT id FROM outbox WHERE id = ANY(:row_ids::bigint[]) ORDER BY id FOR UPDATE';

/**
 * Creates the store of the outbox. A row is due when it is undelivered and its `next_attempt_at` is in the past. A claim moves
 * `next_attempt_at` on by `claimMs` times the `patience` of its attempts, so that no other process takes the rows. Every claim is one
 * short transaction, which commits before Temporal is called. Rows locked elsewhere are skipped.
 */
export const createOutboxStore = (knex: Knex) =>
  boundTo(knex, { startGroups, claimStart, claimSignals, claimCommands, markDelivered, markFailed });

export type OutboxStore = ReturnType<typeof createOutboxStore>;

/** How many workflows, or payments of a start, a claim takes at most, and for how many milliseconds. */
interface ClaimBounds {
  readonly limit: number;
  readonly claimMs: number;
}

/** Lists the groups that have due starts. */
const startGroups = async (knex: Knex): Promise<string[]> => {
  const rows = await plannedRowsOf<{ group_key: string }>(knex)(
    `SELECT DISTINCT o.group_key FROM outbox o WHERE o.topic = 'create_payment' AND ${due('o')}`,
  );
  return rows.map((row) => row.group_key);
};

/** Sorts by id. Ids arrive as texts of 64-bit numbers, whose text order differs. */
const sortById = <Payload>(rows: OutboxRow<Payload>[]): OutboxRow<Payload>[] =>
  rows.sort((a, b) => Number(a.id) - Number(b.id));

const toStart = async (
  knex: Knex,
  groupKey: string,
  rows: OutboxRow<CreatePaymentCommand>[],
): Promise<StartClaim | null> => {
  const sorted = sortById(rows);
  const first = sorted[0];
  if (first === undefined) return null;
  const labels = await paymentLabels(
    knex,
    sorted.map(({ payload }) => payload.payment_id),
  );
  return {
    workflowId: first.workflow_id,
    groupKey,
    rowIds: sorted.map((row) => row.id),
    commands: sorted.map((row) => row.payload),
    labels,
    attempts: mostAttempts(sorted),
  };
};

/**
 * Claims one start: an undelivered one again with all its rows, else the next group of rows. The members of a new start are
 * stored with the commands and the payments before Temporal is called. Claims of one group wait for each other, and rows are
 * locked in the order of their ids, as everywhere.
 */
const claimStart = (knex: Knex, groupKey: string, { limit, claimMs }: ClaimBounds): Promise<StartClaim | null> =>
  knex.transaction(async (trx) => {
    await execute(trx, { group_key: groupKey })(
      `SELECT pg_advisory_xact_lock(hashtextextended('starts ' || :group_key, 0))`,
    );
    const rows = await plannedRowsOf<OutboxRow<CreatePaymentCommand>>(trx, {
      group_key: groupKey,
      limit,
      claim_ms: claimMs,
      workflow_id: workflowIds.createPayment('%s'),
    })(`
WITH first AS (
  SELECT o.workflow_id, o.payment_id FROM outbox o
  WHERE o.topic = 'create_payment' AND o.group_key = :group_key AND ${due('o')}
  ORDER BY o.workflow_id IS NULL, o.id LIMIT 1
), members AS MATERIALIZED (
  SELECT o.id, o.payment_id, coalesce(f.workflow_id, format(:workflow_id, f.payment_id)) AS workflow_id
  FROM outbox o JOIN first f ON o.workflow_id IS NOT DISTINCT FROM f.workflow_id
  -- all rows of a start, although the clock advances from row to row
  WHERE o.topic = 'create_payment' AND o.group_key = :group_key AND o.delivered_at IS NULL
    AND (o.workflow_id IS NOT NULL OR o.next_attempt_at <= clock_timestamp())
  ORDER BY o.id LIMIT :limit FOR UPDATE OF o
), followed AS MATERIALIZED (
  SELECT p.id FROM payments p JOIN members m ON m.payment_id = p.id AND p.workflow_id IS DISTINCT FROM m.workflow_id
  ORDER BY p.id FOR NO KEY UPDATE OF p
), named AS (
  UPDATE payments p SET workflow_id = (SELECT workflow_id FROM members LIMIT 1) WHERE p.id IN (SELECT id FROM followed)
)
UPDATE outbox o SET workflow_id = m.workflow_id, ${lend('o.attempts')} FROM members m WHERE o.id = m.id
RETURNING o.id, o.workflow_id, o.payload, o.attempts`);
    return toStart(trx, groupKey, rows);
  });

/**
 * Claims the due signals of up to `limit` workflows, oldest first, each with at most `perWorkflow` changes. Skips workflows whose start
 * is undelivered, and those in `except`. A payment has the workflow of its creation and its followers.
 */
const claimSignals = async (
  knex: Knex,
  {
    limit,
    perWorkflow,
    claimMs,
    except,
  }: ClaimBounds & { readonly perWorkflow: number; readonly except: readonly string[] },
): Promise<SignalClaim[]> => {
  // Not prepared: a generic plan reads three times as much as one for the present number of due signals.
  const rows = await rowsOf<OutboxRow<PaymentChange>>(knex, {
    except,
    per_workflow: perWorkflow,
    limit,
    claim_ms: claimMs,
  })(`
WITH due AS (
  SELECT o.id, o.attempts, w.workflow_id FROM outbox o JOIN payments p ON p.id = o.payment_id
  CROSS JOIN LATERAL (SELECT coalesce(o.workflow_id, p.workflow_id) AS workflow_id) w
  WHERE o.topic = 'payment_signal' AND ${due('o')} AND w.workflow_id IS NOT NULL AND w.workflow_id <> ALL(:except)
    AND NOT EXISTS (SELECT 1 FROM outbox s WHERE s.workflow_id = w.workflow_id
      AND s.topic IN ('create_payment', 'command') AND s.delivered_at IS NULL)
  ORDER BY o.id LIMIT 10000 FOR UPDATE OF o SKIP LOCKED
), ranked AS (
  SELECT id, workflow_id, row_number() OVER (PARTITION BY workflow_id ORDER BY id) AS place,
    min(id) OVER (PARTITION BY workflow_id) AS first_id, max(attempts) OVER (PARTITION BY workflow_id) AS attempts
  FROM due
), chosen AS (
  SELECT id, workflow_id, attempts FROM ranked
  WHERE place <= :per_workflow AND first_id IN (SELECT DISTINCT first_id FROM ranked ORDER BY first_id LIMIT :limit)
)
UPDATE outbox o SET ${lend('c.attempts')} FROM chosen c WHERE o.id = c.id
RETURNING o.id, c.workflow_id, o.payload, o.attempts`);
  return [...Map.groupBy(sortById(rows), (row) => row.workflow_id)].map(([workflowId, claimed]) => ({
    workflowId,
    rowIds: claimed.map((row) => row.id),
    changes: claimed.map((row) => row.payload),
    attempts: mostAttempts(claimed),
  }));
};

/** SQL on a webhook's command `o`: its configuration is disabled or deleted. */
const isUnwanted = `NOT EXISTS (SELECT 1 FROM webhook_configurations c
  WHERE c.id = (o.payload -> 'input' ->> 'webhookId')::uuid AND c.is_active AND c.deleted_at IS NULL)`;

/**
 * Claims the due commands of up to `limit` workflows, oldest first, except those in `except`. Deletes commands of disabled or deleted
 * webhooks.
 */
const claimCommands = async (
  knex: Knex,
  topic: CommandTopic,
  { limit, claimMs, except }: ClaimBounds & { readonly except: readonly string[] },
): Promise<CommandClaim[]> => {
  const rows = await plannedRowsOf<OutboxRow<WorkflowCommand>>(knex, { topic, limit, except, claim_ms: claimMs })(`
WITH chosen AS (
  SELECT o.id, o.workflow_id, o.attempts, ${topic === 'command' ? 'false' : isUnwanted} AS is_unwanted
  FROM outbox o WHERE o.topic = :topic AND ${due('o')} AND o.workflow_id IN (
    SELECT w.workflow_id FROM outbox w WHERE w.topic = :topic AND ${due('w')} AND w.workflow_id <> ALL(:except)
    GROUP BY w.workflow_id ORDER BY min(w.id) LIMIT :limit)
  FOR UPDATE OF o SKIP LOCKED
), forgotten AS (
  DELETE FROM outbox WHERE id IN (SELECT id FROM chosen WHERE is_unwanted)
), wanted AS (
  SELECT id, max(attempts) OVER (PARTITION BY workflow_id) AS attempts FROM chosen WHERE NOT is_unwanted
)
UPDATE outbox o SET ${lend('w.attempts')}, is_renewed = false FROM wanted w WHERE o.id = w.id
RETURNING o.id, o.workflow_id, o.payload, o.attempts`);
  const paymentOf = ({ payload }: OutboxRow<WorkflowCommand>): string => payload.search.payment_ids?.[0] ?? '';
  const labels = await paymentLabels(knex, [...new Set(rows.map(paymentOf))].filter(Boolean));
  return [...Map.groupBy(sortById(rows), (row) => row.workflow_id)].map(([workflowId, claimed]) => ({
    workflowId,
    rowIds: claimed.map((row) => row.id),
    command: claimed.at(-1)!.payload,
    label: labels.get(paymentOf(claimed.at(-1)!)) ?? null,
    attempts: mostAttempts(claimed),
  }));
};

/** Marks rows as delivered. A row that was renewed since its claim is due again. */
const markDelivered = async (knex: Knex, rowIds: readonly string[]): Promise<void> => {
  if (rowIds.length === 0) return;
  await executePlanned(knex, { row_ids: rowIds })(`
     UPDATE outbox SET delivered_at = CASE WHEN is_renewed THEN NULL ELSE clock_timestamp() END, last_error = NULL,
       attempts = CASE WHEN is_renewed THEN 0 ELSE attempts END,
       next_attempt_at = CASE WHEN is_renewed THEN clock_timestamp() ELSE next_attempt_at END
     WHERE id = ANY (ARRAY(${claimed})) AND delivered_at IS NULL`);
};

/** Gives rows back, due again after `retryInMs`. The error is for operators and contains no secret. */
const markFailed = async (knex: Knex, rowIds: readonly string[], error: string, retryInMs: number): Promise<void> => {
  if (rowIds.length === 0) return;
  await execute(knex, { row_ids: rowIds, error, retry_ms: retryInMs })(`
     UPDATE outbox SET attempts = attempts + 1, last_error = left(:error, 1000),
       next_attempt_at = now() + :retry_ms * interval '1 millisecond'
     WHERE id = ANY (ARRAY(${claimed})) AND delivered_at IS NULL`);
};

/** Oldest delivered rows that one statement looks at. */
const WINDOW = 5_000;

/**
 * Deletes commands that Temporal received so many days ago, oldest first. Rows that wait, however many, hold up no others.
 * @returns true when there may be more
 */
export const forgetDelivered = async (knex: Knex, days: number): Promise<boolean> => {
  // Finds the oldest rows by the primary key, because an index on delivered_at would make every delivery dearer.
  const rowCount = await execute(knex, { window: WINDOW, days })(`
DELETE FROM outbox WHERE id IN (
  SELECT o.id FROM outbox o WHERE o.id IN (SELECT id FROM outbox WHERE delivered_at IS NOT NULL ORDER BY id LIMIT :window)
    AND o.delivered_at < now() - :days * interval '1 day' FOR UPDATE SKIP LOCKED)`);
  measure('forgotten', { kind: 'commands', rows: rowCount });
  return rowCount > 0;
};

import type { Knex } from 'knex';
import { openStatuses } from '../../domain/payment.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { diamondCommand, insertCommands, followerCommand } from '../outbox/commands.ts';
import { execute, rowsOf } from '../query/statements.ts';
import { LISTED_AFTER, type OnLost, type PickWorkflows } from './lost-workflows.ts';

const method = `CASE p.payment_method WHEN 'web3' THEN 'web3' ELSE 'offchain' END`;

/** SQL: the time of the request for the list of running workflows, by the database's clock. */
const listedAt = 'coalesce(:listed_at::timestamptz, clock_timestamp())';

/**
 * SQL on the commands `outbox o` of one workflow: skips a workflow that was started shortly before the list was requested, or
 * later, because the list may lack it. A workflow that never appears is commanded with growing backoff.
 */
const givenLately = `HAVING bool_or(o.delivered_at IS NULL)
  OR max(o.delivered_at) > ${listedAt} - ${LISTED_AFTER} * power(4, least(count(*), 10) - 1)`;

/** Unfinished work, with the workflow that should follow it. */
interface Followed {
  readonly workflow_id: string;
}

/** One kind of unfinished work. */
interface Kind<Row extends Followed> {
  /** Reads one page in the order of a key, behind the last row of the previous page. */
  readonly read: (knex: Knex, after: Row | null, listed: Date | null) => Promise<Row[]>;
  /** Picks the rows whose workflows were not commanded recently. */
  readonly due: (knex: Knex, rows: readonly Row[], listed: Date | null) => Promise<readonly Row[]>;
  /** Commands the workflows of these rows again, except recently commanded ones. Returns the number of commands. */
  readonly command: (trx: Knex, lost: readonly Row[], listed: Date | null) => Promise<number>;
}

/** Rows per page, and commands per transaction. */
const PAGE = 1_000;

interface PaymentRow extends Followed {
  readonly node_id: string;
  /** To the microsecond, as text of PostgreSQL. */
  readonly created: string;
  readonly id: string;
}

/** SQL: payment `p` is open, and its workflow was not commanded recently. */
const isDue = `p.status = ANY(:open)
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = p.id AND o.topic = 'create_payment' ${givenLately})`;

/** Open payments whose start was dispatched. */
const payments: Kind<PaymentRow> = {
  read: (knex, after) =>
    rowsOf<PaymentRow>(knex, { ...after, open: openStatuses, limit: PAGE })(`
       SELECT node_id, created_at::text AS created, id, workflow_id FROM payments
       WHERE status = ANY(:open) AND workflow_id IS NOT NULL
         ${after === null ? '' : 'AND (node_id, created_at, id) > (:node_id, :created::timestamptz, :id)'}
       ORDER BY node_id, created_at, id LIMIT :limit`),
  due: async (knex, rows, listed) => {
    const found = await rowsOf<{ id: string }>(knex, {
      open: openStatuses,
      ids: rows.map(({ id }) => id),
      listed_at: listed,
    })(`SELECT p.id FROM payments p WHERE p.id = ANY(:ids) AND ${isDue}`);
    const ids = new Set(found.map(({ id }) => id));
    return rows.filter(({ id }) => ids.has(id));
  },
  command: (trx, lost, listed) =>
    execute(trx, { open: openStatuses, ids: lost.map(({ id }) => id), listed_at: listed })(`
INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
SELECT 'create_payment', p.network_id || ':' || ${method}, p.workflow_id, p.id,
  jsonb_build_object('payment_id', p.id, 'node_id', p.node_id, 'wallet_id', p.wallet_id, 'network_id', p.network_id,
    'method', ${method}, 'expires_at', to_char(p.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
FROM payments p
WHERE p.id = ANY(:ids) AND ${isDue}
ORDER BY p.id`),
};

interface DiamondRow extends Followed {
  readonly wallet_id: string;
  readonly network_id: string;
  readonly node_id: string;
}

/** Diamonds with a deployment or an update in progress. */
const diamonds: Kind<DiamondRow> = {
  read: (knex, after, listed) =>
    rowsOf<DiamondRow>(knex, { ...after, format: workflowIds.diamond('%s', '%s'), limit: PAGE, listed_at: listed })(`
       SELECT d.wallet_id, d.network_id, w.node_id, format(:format, d.wallet_id, d.network_id) AS workflow_id
       FROM deployments d JOIN wallets w ON w.id = d.wallet_id
       -- the list may lack a run that was requested a moment ago
       WHERE d.status = 'started' AND d.status <> 'completed' AND d.updated_at < ${listedAt} - ${LISTED_AFTER}
         ${after === null ? '' : 'AND (d.wallet_id, d.network_id) > (:wallet_id, :network_id)'}
       ORDER BY d.wallet_id, d.network_id LIMIT :limit`),
  due: async (_knex, rows) => rows,
  command: async (trx, lost) => {
    const rows = await rowsOf<Followed>(trx, { ids: lost.map((row) => row.workflow_id) })(
      `SELECT DISTINCT workflow_id FROM outbox WHERE workflow_id = ANY(:ids) AND delivered_at IS NULL`,
    );
    const given = new Set(rows.map((row) => row.workflow_id));
    const commands = lost
      .filter((row) => !given.has(row.workflow_id))
      .map((row) => diamondCommand({ walletId: row.wallet_id, networkId: row.network_id, nodeId: row.node_id }));
    await insertCommands(trx, commands);
    return commands.length;
  },
};

interface FollowerRow extends Followed {
  readonly payment_id: string;
}

type Follower = Parameters<typeof followerCommand>[0];

/** Reads those of these followers whose payments are open, and whose workflows were not commanded recently. */
const dueFollowers = (knex: Knex, rows: readonly FollowerRow[], listed: Date | null) =>
  rowsOf<Follower & Followed>(knex, {
    open: openStatuses,
    payment_ids: rows.map((row) => row.payment_id),
    workflow_ids: rows.map((row) => row.workflow_id),
    listed_at: listed,
  })(`
SELECT f.workflow_id, f.type, p.id AS "paymentId", f.sequence, p.node_id AS "nodeId", p.wallet_id AS "walletId",
  p.network_id AS "networkId"
FROM (SELECT payment_id, workflow_id, split_part(workflow_id, '/', 4)::integer AS sequence,
    CASE split_part(workflow_id, '/', 3) WHEN 'cancel' THEN 'cancelPayment' ELSE 'retrySend' END AS type
  FROM payment_followers WHERE payment_id = ANY(:payment_ids) AND workflow_id = ANY(:workflow_ids)) f
JOIN payments p ON p.id = f.payment_id
-- a retry ends when its payment is no longer pending
WHERE p.status = ANY(:open) AND (f.type <> 'retrySend' OR p.status = 'pending')
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = p.id AND o.topic = 'command' AND o.workflow_id = f.workflow_id
    ${givenLately})
ORDER BY p.id`);

/** Cancels and retries of open payments. */
const followers: Kind<FollowerRow> = {
  read: (knex, after) =>
    rowsOf<FollowerRow>(knex, { ...after, limit: PAGE })(`SELECT payment_id, workflow_id FROM payment_followers
       ${after === null ? '' : 'WHERE (payment_id, workflow_id) > (:payment_id, :workflow_id)'}
       ORDER BY payment_id, workflow_id LIMIT :limit`),
  due: async (knex, rows, listed) => {
    const ids = new Set((await dueFollowers(knex, rows, listed)).map((row) => row.workflow_id));
    return rows.filter((row) => ids.has(row.workflow_id));
  },
  command: async (trx, lost, listed) => {
    const rows = await dueFollowers(trx, lost, listed);
    await insertCommands(trx, rows.map(followerCommand));
    return rows.length;
  },
};

/** Splits rows into parts of about a page. Keeps a workflow whole, because it follows only the payments that it starts with. */
const wholeWorkflows = <Row extends Followed>(rows: readonly Row[]): Row[][] => {
  const parts: Row[][] = [];
  for (const own of Map.groupBy(rows, (row) => row.workflow_id).values()) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + own.length <= PAGE) last.push(...own);
    else parts.push([...own]);
  }
  return parts;
};

/** The running workflows, as they were listed, and the calls for those that are lost. */
interface Known {
  readonly running: ReadonlySet<string>;
  readonly listed: Date | null;
  readonly onLost: OnLost | undefined;
  readonly pickGone: PickWorkflows;
}

const commandLost = async <Row extends Followed>(
  knex: Knex,
  { read, due, command }: Kind<Row>,
  { running, listed, onLost, pickGone }: Known,
): Promise<number> => {
  const lost: Row[] = [];
  for (let page = await read(knex, null, listed); page.length > 0; page = await read(knex, page.at(-1)!, listed)) {
    lost.push(...page.filter((row) => !running.has(row.workflow_id)));
  }
  let commanded = 0;
  for (const unlisted of wholeWorkflows(lost)) {
    const wanted = await due(knex, unlisted, listed);
    if (wanted.length === 0) continue;
    const gone = await pickGone([...new Set(wanted.map((row) => row.workflow_id))]);
    const part = wanted.filter((row) => gone.has(row.workflow_id));
    if (part.length === 0) continue;
    commanded += await knex.transaction(async (trx) => {
      // One process at a time, so that commands are not duplicated.
      await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat start again'))`);
      const count = await command(trx, part, listed);
      if (count > 0) await onLost?.(trx, count);
      return count;
    });
  }
  return commanded;
};

/**
 * Starts lost workflows again: those of open payments, their cancels and retries, and deployments in progress. Reads each kind
 * page by page, and commits commands part by part, so that a failure keeps the earlier parts. Commands are idempotent.
 * @param running ids of the running workflows
 * @param listed time at which these were requested, by the database's clock, because the list lacks later starts; null for now
 * @param onLost called for each part, in its transaction
 * @param pickGone picks those that do not run, because the list may lack some that do
 * @returns the number of commands
 */
export const startAgain = async (
  knex: Knex,
  running: readonly string[],
  listed: Date | null = null,
  onLost?: OnLost,
  pickGone: PickWorkflows = async (ids) => new Set(ids),
): Promise<number> => {
  const known: Known = { running: new Set(running), listed, onLost, pickGone };
  return (
    (await commandLost(knex, payments, known)) +
    (await commandLost(knex, diamonds, known)) +
    (await commandLost(knex, followers, known))
  );
};

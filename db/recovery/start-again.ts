import type { Knex } from 'knex';
import { openStatuses } from '../../domain/payment.ts';
import { groupBy } from '../../domain/tools/group-by.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { diamondCommand, insertCommands } from '../outbox/commands.ts';
import { followerCommand } from '../payments/followers.ts';
import type { OnLost } from './lost-workflows.ts';

const method = `CASE p.payment_method WHEN 'web3' THEN 'web3' ELSE 'offchain' END`;

/** SQL of the time at which what runs was asked for, by the database's clock. */
const listedAt = 'coalesce(:listed_at::timestamptz, clock_timestamp())';

/**
 * SQL over the commands `outbox o` of one workflow: one that was started a moment before the list was begun, or since, may not be
 * in it; one that is listed never is asked for less and less often.
 */
const givenLately = `HAVING bool_or(o.delivered_at IS NULL)
  OR max(o.delivered_at) > ${listedAt} - interval '10 seconds' * power(4, least(count(*), 10) - 1)`;

/** Something that has not ended, and the workflow that should follow it. */
interface Followed {
  readonly workflow_id: string;
}

/** One kind of what has not ended. */
interface Kind<Row extends Followed> {
  /** One page, in the order of a key, behind the row that ended the page before. */
  readonly read: (knex: Knex, after: Row | null, listed: Date | null) => Promise<Row[]>;
  /** Commands anew what of these rows was not commanded lately, and answers how many that were. */
  readonly command: (trx: Knex, lost: readonly Row[], listed: Date | null) => Promise<number>;
}

/** Rows of a page, and commands that one transaction writes. */
const PAGE = 1_000;

interface PaymentRow extends Followed {
  readonly node_id: string;
  readonly id: string;
}

/** Open payments, as far as their start was delivered. */
const payments: Kind<PaymentRow> = {
  read: async (knex, after) => {
    const { rows } = await knex.raw<{ rows: PaymentRow[] }>(
      `SELECT node_id, id, workflow_id FROM payments WHERE status = ANY(:open) AND workflow_id IS NOT NULL
         ${after === null ? '' : 'AND (node_id, id) > (:node_id, :id)'} ORDER BY node_id, id LIMIT :limit`,
      { ...after, open: openStatuses, limit: PAGE },
    );
    return rows;
  },
  command: async (trx, lost, listed) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `
INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
SELECT 'create_payment', p.network_id || ':' || ${method}, p.workflow_id, p.id,
  jsonb_build_object('payment_id', p.id, 'node_id', p.node_id, 'wallet_id', p.wallet_id, 'network_id', p.network_id,
    'method', ${method}, 'expires_at', to_char(p.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
FROM payments p
WHERE p.id = ANY(:ids) AND p.status = ANY(:open)
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = p.id AND o.topic = 'create_payment' ${givenLately})
ORDER BY p.id`,
      { open: openStatuses, ids: lost.map(({ id }) => id), listed_at: listed },
    );
    return rowCount;
  },
};

interface DiamondRow extends Followed {
  readonly wallet_id: string;
  readonly network_id: string;
  readonly node_id: string;
}

/** Diamonds with a deployment or an update under way. */
const diamonds: Kind<DiamondRow> = {
  read: async (knex, after, listed) => {
    const { rows } = await knex.raw<{ rows: DiamondRow[] }>(
      `SELECT d.wallet_id, d.network_id, w.node_id, format(:format, d.wallet_id, d.network_id) AS workflow_id
       FROM deployments d JOIN wallets w ON w.id = d.wallet_id
       -- what was asked for a moment ago may not be listed yet
       WHERE d.status = 'started' AND d.status <> 'completed' AND d.updated_at < ${listedAt} - interval '10 seconds'
         ${after === null ? '' : 'AND (d.wallet_id, d.network_id) > (:wallet_id, :network_id)'}
       ORDER BY d.wallet_id, d.network_id LIMIT :limit`,
      { ...after, format: workflowIds.diamond('%s', '%s'), limit: PAGE, listed_at: listed },
    );
    return rows;
  },
  command: async (trx, lost) => {
    const { rows } = await trx.raw<{ rows: Followed[] }>(
      `SELECT DISTINCT workflow_id FROM outbox WHERE workflow_id = ANY(:ids) AND delivered_at IS NULL`,
      { ids: lost.map((row) => row.workflow_id) },
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

/** Cancels and retries of open payments. */
const followers: Kind<FollowerRow> = {
  read: async (knex, after) => {
    const { rows } = await knex.raw<{ rows: FollowerRow[] }>(
      `SELECT payment_id, workflow_id FROM payment_followers
       ${after === null ? '' : 'WHERE (payment_id, workflow_id) > (:payment_id, :workflow_id)'}
       ORDER BY payment_id, workflow_id LIMIT :limit`,
      { ...after, limit: PAGE },
    );
    return rows;
  },
  command: async (trx, lost, listed) => {
    const { rows } = await trx.raw<{ rows: Follower[] }>(
      `
SELECT f.type, p.id AS "paymentId", f.sequence, p.node_id AS "nodeId", p.wallet_id AS "walletId", p.network_id AS "networkId"
FROM (SELECT payment_id, workflow_id, split_part(workflow_id, '/', 4)::integer AS sequence,
    CASE split_part(workflow_id, '/', 3) WHEN 'cancel' THEN 'cancelPayment' ELSE 'retrySend' END AS type
  FROM payment_followers WHERE payment_id = ANY(:payment_ids) AND workflow_id = ANY(:workflow_ids)) f
JOIN payments p ON p.id = f.payment_id
-- a retry has come to its end when the payment is pending no more
WHERE p.status = ANY(:open) AND (f.type <> 'retrySend' OR p.status = 'pending')
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = p.id AND o.topic = 'command' AND o.workflow_id = f.workflow_id
    ${givenLately})
ORDER BY p.id`,
      {
        open: openStatuses,
        payment_ids: lost.map((row) => row.payment_id),
        workflow_ids: lost.map((row) => row.workflow_id),
        listed_at: listed,
      },
    );
    await insertCommands(trx, rows.map(followerCommand));
    return rows.length;
  },
};

/** Parts of about a page. None divides a workflow: it is started once, with what is commanded by then, and follows nothing else. */
const wholeWorkflows = <Row extends Followed>(rows: readonly Row[]): Row[][] => {
  const parts: Row[][] = [];
  for (const own of groupBy(rows, (row) => row.workflow_id).values()) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + own.length <= PAGE) last.push(...own);
    else parts.push([...own]);
  }
  return parts;
};

const commandLost = async <Row extends Followed>(
  knex: Knex,
  { read, command }: Kind<Row>,
  { running, listed, onLost }: { running: ReadonlySet<string>; listed: Date | null; onLost: OnLost | undefined },
): Promise<number> => {
  const lost: Row[] = [];
  for (let page = await read(knex, null, listed); page.length > 0; page = await read(knex, page.at(-1)!, listed)) {
    lost.push(...page.filter((row) => !running.has(row.workflow_id)));
  }
  let commanded = 0;
  for (const part of wholeWorkflows(lost)) {
    commanded += await knex.transaction(async (trx) => {
      // One process at a time, else each would command the same.
      await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat start again'))`);
      const count = await command(trx, part, listed);
      if (count > 0) await onLost?.(trx, count);
      return count;
    });
  }
  return commanded;
};

/**
 * Commands anew what has not ended and no workflow follows any more: open payments, their cancels and retries, and
 * deployments under way. Each kind is read page by page; what is lost is commanded part by part, and one part counts when the next one
 * fails. A command too many does nothing, as all of them may be repeated.
 * @param running ids of the workflows that run
 * @param listed when those were asked for, by the database's clock: a long list knows nothing of what was started since; null for now
 * @param onLost hears of each part that is commanded, in its transaction
 * @returns how many commands it has written
 */
export const startAgain = async (
  knex: Knex,
  running: readonly string[],
  listed: Date | null = null,
  onLost?: OnLost,
): Promise<number> => {
  const known = { running: new Set(running), listed, onLost };
  return (
    (await commandLost(knex, payments, known)) +
    (await commandLost(knex, diamonds, known)) +
    (await commandLost(knex, followers, known))
  );
};

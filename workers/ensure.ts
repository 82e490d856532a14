import { WorkflowNotFoundError, type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import {
  closeOfLost,
  lastCommand,
  raiseOfLost,
  type LostKind,
  type OnLost,
  type PickWorkflows,
} from '../db/recovery/lost-workflows.ts';
import type { connect } from '../db/connection.ts';
import { startAgain } from '../db/recovery/start-again.ts';
import { signalAgain, type RunningWorkflow } from '../db/recovery/signal-again.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts, logOver } from '../domain/tools/observer.ts';
import {
  searchAttributes,
  workflowTypes,
  timings,
  type LaneInput,
  type OfferDealsInput,
  type Profile,
  type SendWebhooksInput,
  type WatchNetworkInput,
} from '../workflows/messages.ts';
import type { Keystore } from '../chain/signing/keystore.ts';
import { offeringNetworks, accountsWithLane } from '../db/lane/accounts.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import type { NotificationSource } from '../domain/ports/notifications.ts';
import { repeat } from '../domain/tools/repeat.ts';
import { workflowIds } from '../domain/workflow-ids.ts';
import { untilItWorks } from './connect.ts';
import { registerSearchAttributes } from '../outbox/temporal-client.ts';

/** Temporal, and the database with the work that workflows follow. */
export interface RecoveryDeps {
  readonly client: Client;
  readonly taskQueue: string;
  readonly knex: ReturnType<typeof connect>;
  readonly log: Log;
}

/**
 * The recovery pass: compares unfinished work with the running workflows. It starts lost workflows again: Temporal has lost its
 * database, got an older one from a backup, or somebody terminated them. It signals running workflows that missed the end of their
 * work. Any finding raises an alert, because Temporal may have lost more than Carat can see. The list of running workflows follows
 * seconds later, on a busy server minutes, so each finding is compared with the workflow itself first.
 */
export const recoverWorkflows = async ({ client, taskQueue, knex, log }: RecoveryDeps): Promise<void> => {
  const { createPayment, cancelPayment, retrySend, diamond } = workflowTypes;
  const types = [createPayment, cancelPayment, retrySend, diamond].map((type) => `'${type}'`).join(', ');
  const query = `TaskQueue = '${taskQueue}' AND WorkflowType IN (${types}) AND ExecutionStatus = 'Running'`;
  const running: string[] = [];
  const { id: after, at: begun } = await lastCommand(knex);
  const raise =
    (kind: LostKind): OnLost =>
    async (trx, count) =>
      logAlerts({ log }, await raiseOfLost(trx, kind, count, after));
  let found = 0;
  for await (const page of listed(client, query)) {
    running.push(...page.map(({ workflowId }) => workflowId));
    found += await signalAgain(knex, page, raise('told_again'), pickWith(client, 'waiting'));
  }
  found += await startAgain(knex, running, begun, raise('started_again'), pickWith(client, 'gone'));
  if (found === 0) logOver({ log }, await closeOfLost(knex, running, begun));
};

/**
 * A workflow as it is now: `gone` when it does not run, `busy` when a worker has yet to process something of it, such as a signal, and
 * `waiting` else.
 */
type Condition = 'gone' | 'busy' | 'waiting';

const conditionOf = async (client: Client, workflowId: string): Promise<Condition> => {
  try {
    const { status, raw } = await client.withDeadline(Date.now() + PAGE_MS, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    if (status.name !== 'RUNNING') return 'gone';
    return raw.pendingWorkflowTask ? 'busy' : 'waiting';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'gone';
    throw error;
  }
};

/** Workflows that are asked about at once. */
const ASKED_AT_ONCE = 20;

const pickWith =
  (client: Client, condition: Condition): PickWorkflows =>
  async (workflowIds) => {
    const picked = new Set<string>();
    const left = [...workflowIds];
    const ask = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop())
        if ((await conditionOf(client, id)) === condition) picked.add(id);
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, ask));
    return picked;
  };

const PAGE = 1_000;
/** Timeout of one page in milliseconds; the whole list has none, because its length varies. */
const PAGE_MS = 10_000;

/** Lists the workflows of a query page by page, so that the payment ids of all are never in memory at once. */
async function* listed(client: Client, query: string): AsyncGenerator<RunningWorkflow[]> {
  const found = client.workflow.list({ query, pageSize: PAGE })[Symbol.asyncIterator]();
  for (let isOver = false; !isOver;) {
    const page: RunningWorkflow[] = [];
    while (!isOver && page.length < PAGE) {
      const next = await client.withDeadline(Date.now() + PAGE_MS, () => found.next());
      isOver = next.done === true;
      if (next.done !== true) page.push(toRunning(next.value));
    }
    yield page;
  }
}

const toRunning = ({ workflowId, typedSearchAttributes }: WorkflowExecutionInfo): RunningWorkflow => ({
  workflowId,
  paymentIds: typedSearchAttributes.get(searchAttributes.paymentIds) ?? [],
});

/** A signer account; each one has one lane. */
export interface LaneToRun {
  readonly id: string;
  readonly networkId: string;
  readonly address: string;
  readonly role: string;
}

interface Starting {
  readonly client: Client;
  readonly taskQueue: string;
  readonly profile: Profile;
}

const startOptions = ({ taskQueue, profile }: Starting) => ({
  taskQueue,
  workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
  workflowIdConflictPolicy: 'USE_EXISTING' as const,
  workflowTaskTimeout: timings[profile].workflowTask,
});

/** Starts the workflow that sends webhooks, unless it runs. */
export const ensureSender = async (starting: Starting): Promise<void> => {
  const input: SendWebhooksInput = { profile: starting.profile };
  await starting.client.withDeadline(Date.now() + 5_000, () =>
    starting.client.workflow.start(workflowTypes.sendWebhooks, {
      ...startOptions(starting),
      workflowId: workflowIds.sendWebhooks(starting.taskQueue),
      args: [input],
      staticSummary: 'Webhooks',
      staticDetails: 'First attempts of all webhooks. Runs without end; each run of the workflow lasts minutes.',
    }),
  );
};

/** The watchers, lanes and signers of offers that should run. */
export interface EnsureOptions extends Starting {
  readonly networks: readonly { readonly id: string; readonly name: string }[];
  readonly lanes: readonly LaneToRun[];
  /** Ids of the networks whose deals are offered. */
  readonly offering?: readonly string[];
}

/** Starts the watchers of these networks, the lanes of these accounts and the signing of offers, unless they run. */
export const ensureChainWorkflows = async ({
  networks,
  lanes,
  offering = [],
  ...starting
}: EnsureOptions): Promise<void> => {
  const { client, profile } = starting;
  const nameOf = new Map(networks.map((network) => [network.id, network.name]));
  const start = (
    type: string,
    workflowId: string,
    input: LaneInput | OfferDealsInput | WatchNetworkInput,
    summary: string,
  ) =>
    client.withDeadline(Date.now() + 5_000, () =>
      client.workflow.start(type, {
        ...startOptions(starting),
        workflowId,
        args: [input],
        typedSearchAttributes: [{ key: searchAttributes.networkId, value: input.networkId }],
        staticSummary: summary,
        staticDetails: `Network ${nameOf.get(input.networkId) ?? ''} (${input.networkId}). Runs without end; each run of the workflow lasts minutes.`,
      }),
    );
  await Promise.all([
    ...networks.map(({ id, name }) =>
      start(workflowTypes.watchNetwork, workflowIds.watchNetwork(id), { networkId: id, profile }, `Watcher of ${name}`),
    ),
    ...offering.map((networkId) =>
      start(
        workflowTypes.offerDeals,
        workflowIds.offerDeals(networkId),
        { networkId, profile },
        `Offers on ${nameOf.get(networkId) ?? networkId}`,
      ),
    ),
    ...lanes.map(({ id, networkId, address, role }) =>
      start(
        workflowTypes.lane,
        workflowIds.lane(networkId, address),
        { networkId, accountId: id, address, profile },
        `Lane of ${role} ${address} on ${nameOf.get(networkId) ?? networkId}`,
      ),
    ),
  ]);
};

/** Milliseconds between two passes. */
const everyMs: Record<Profile, number> = { production: 30_000, test: 2_000 };

/** The database with networks and accounts, and the keys of this process. */
export interface KeepOptions extends Starting {
  readonly knex: ReturnType<typeof connect>;
  readonly keystore: Keystore;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Wakes it after a catalogue was applied, which may add networks or keys. */
  readonly applied: NotificationSource;
}

/**
 * Keeps these workflows running until the signal aborts: watchers of networks that are not at rest, lanes of this
 * process's keys, the signing of offers, the sender of webhooks, and the workflows of unfinished work. An empty server
 * gets all these workflows again.
 */
export const keepChainWorkflows = async (options: KeepOptions): Promise<void> => {
  const { knex, keystore, log, signal, applied, ...starting } = options;
  const { client, taskQueue, profile } = starting;
  const at = { connection: client.connection, namespace: client.options.namespace };
  const ensureAll = async (): Promise<void> => {
    await client.withDeadline(Date.now() + 5_000, () => registerSearchAttributes(at, log));
    const isHeld = ({ address }: { readonly address: string }): boolean => keystore.addresses.includes(address);
    const lanes = (await accountsWithLane(knex)).filter(isHeld);
    // Also without a key: the run reads the roles, and payments show that the key is missing.
    const offering = await offeringNetworks(knex);
    await ensureSender(starting);
    const networks = (await watchedNetworks(knex)).filter(({ isAtRest }) => !isAtRest);
    await ensureChainWorkflows({ ...starting, networks, lanes, offering });
    await recoverWorkflows({ client, taskQueue, knex, log });
  };
  await repeat(() => untilItWorks('Starting lanes and watchers', ensureAll, { log, signal }), {
    signal,
    everyMs: everyMs[profile],
    wait: applied.wait,
    // It fails only when the signal aborts.
    failed: () => {},
  });
};

import type { Client } from '@temporalio/client';
import type { Keystore } from '../chain/signing/keystore.ts';
import type { connect } from '../db/connection.ts';
import { offeringNetworks, accountsWithLane } from '../db/lane/accounts.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import type { Log } from '../domain/ports/log.ts';
import type { NotificationSource } from '../domain/ports/notifications.ts';
import { repeat } from '../domain/tools/repeat.ts';
import { workflowIds } from '../domain/workflow-ids.ts';
import {
  searchAttributes,
  timings,
  workflowTypes,
  type LaneInput,
  type OfferDealsInput,
  type Profile,
  type SendWebhooksInput,
  type WatchNetworkInput,
} from '../workflows/messages.ts';
import { untilItWorks } from './connect.ts';
import { registerSearchAttributes } from '../outbox/search-attributes.ts';
import { recoverWorkflows } from './recovery.ts';

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

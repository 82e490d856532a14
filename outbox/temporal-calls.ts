import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { describeLabel, searchWords, type PaymentLabel } from '../domain/payment-label.ts';
import {
  patience,
  type CommandClaim,
  type CommandedWorkflow,
  type SignalClaim,
  type StartClaim,
  type WorkflowCommand,
} from '../domain/ports/outbox.ts';
import {
  advanceSignal,
  searchAttributes,
  timings,
  transitionsSignal,
  workflowTypes,
  type CreatePaymentInput,
  type Profile,
} from '../workflows/messages.ts';
import { askTemporal } from './temporal-client.ts';

/** The client, and the task queue and profile of started workflows. */
interface Target {
  readonly client: Client;
  readonly taskQueue: string;
  readonly profile: Profile;
}

/** The target of the calls, and their timeout. */
export interface TemporalCallsDeps extends Target {
  /** Timeout of a first call, in milliseconds. */
  readonly deadlineMs: number;
}

/**
 * Passes claims to Temporal, each with the deadline times the `patience` of the claim. The workflow's id and the sequences make every
 * call idempotent.
 */
export const createTemporalCalls = ({ deadlineMs, ...target }: TemporalCallsDeps) => {
  const { client } = target;
  const inTime =
    <Claim extends { readonly attempts: number }>(call: (target: Target, claim: Claim) => Promise<void>) =>
    (claim: Claim): Promise<void> =>
      client.withDeadline(Date.now() + deadlineMs * patience(claim.attempts), () => call(target, claim));
  return {
    startPayments: inTime(startPayments),
    signalPayments: inTime(signalPayments),
    command: inTime(command),
    /** Pings the server. Rejects while it cannot take commands. */
    ping: (): Promise<void> => askTemporal(client),
  };
};

export type TemporalCalls = ReturnType<typeof createTemporalCalls>;

const unique = <Value>(values: readonly (Value | null)[]): Value[] => [
  ...new Set(values.filter((value) => value !== null)),
];

const startInput = (claim: StartClaim, profile: Profile): CreatePaymentInput & { statuses: string } => {
  const [first] = claim.commands;
  if (first === undefined) throw new RangeError(`The start of ${claim.workflowId} has no payments`);
  return {
    payments: claim.commands.map((command) => ({ id: command.payment_id, expiresAt: command.expires_at })),
    networkId: first.network_id,
    method: first.method,
    profile,
    statuses: 'pending',
  };
};

/** Names a payment by its label, or by its id where it has none. */
const named = (labels: StartClaim['labels'], paymentId: string): string => {
  const label = labels.get(paymentId);
  return label === undefined ? `payment ${paymentId}` : describeLabel(label);
};

const externalIds = (labels: readonly PaymentLabel[]) => ({
  key: searchAttributes.externalIds,
  value: searchWords(labels.flatMap(({ externalId, order = [] }) => [externalId, ...order])),
});

const summaryOf = ({ commands, labels }: StartClaim): string => {
  const [first, ...others] = commands;
  const summary = `${first?.method === 'web3' ? 'web3' : 'off-chain'} ${named(labels, first?.payment_id ?? '')}`;
  return others.length === 0 ? summary : `${commands.length} payments: ${summary}, …`;
};

const startPayments = async ({ client, taskQueue, profile }: Target, claim: StartClaim): Promise<void> => {
  const input = startInput(claim, profile);
  const { commands } = claim;
  try {
    await client.workflow.start(workflowTypes.createPayment, {
      workflowId: claim.workflowId,
      taskQueue,
      args: [input],
      // A completed workflow is not started again. One that an operator ended is, while its payments are open.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowTaskTimeout: timings[profile].workflowTask,
      typedSearchAttributes: [
        { key: searchAttributes.paymentIds, value: commands.map((command) => command.payment_id) },
        { key: searchAttributes.walletIds, value: unique(commands.map((command) => command.wallet_id)) },
        { key: searchAttributes.nodeIds, value: unique(commands.map((command) => command.node_id)) },
        { key: searchAttributes.networkId, value: input.networkId },
        { key: searchAttributes.paymentStatuses, value: input.statuses },
        externalIds([...claim.labels.values()]),
      ],
      staticSummary: summaryOf(claim),
      staticDetails: commands
        .map((command) => {
          const { payment_id: id, expires_at: expires } = command;
          return `- ${named(claim.labels, id)}: payment ${id}, expires ${expires}`;
        })
        .join('\n'),
    });
  } catch (error) {
    // An earlier dispatch arrived, but its response was lost.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
};

const signalPayments = async ({ client }: Target, claim: SignalClaim): Promise<void> => {
  try {
    await client.workflow.getHandle(claim.workflowId).signal(transitionsSignal, claim.changes);
  } catch (error) {
    // Signals follow the start, so this workflow has ended and needs no more signals.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
};

/** How a command reaches its workflow, and its texts for operators. `ids` is its input; `payment` names its payment. */
interface Manner {
  /** True: a running workflow is woken, an ended one starts again. False: the workflow is started once. */
  readonly wakes: boolean;
  readonly summary: (ids: WorkflowCommand['input'], payment: string) => string;
  readonly details: (ids: WorkflowCommand['input'], payment: string) => string;
}

const manners: Record<CommandedWorkflow, Manner> = {
  diamond: {
    wakes: true,
    summary: ({ walletId }) => `Diamond of wallet ${walletId}`,
    details: ({ walletId, networkId }) =>
      `Deploys the diamond of wallet ${walletId} on network ${networkId}, or updates it to the network's release.`,
  },
  cancelPayment: {
    wakes: false,
    summary: (_, payment) => `Cancel of ${payment}`,
    details: ({ paymentId }, payment) =>
      `Withdraws the deal of ${payment} (payment ${paymentId}), or cancels it on the chain.`,
  },
  retrySend: {
    wakes: false,
    summary: (_, payment) => `Retry of ${payment}`,
    details: ({ paymentId }, payment) =>
      `Sends the deal of ${payment} (payment ${paymentId}) again with higher fees, or creates it anew.`,
  },
  retryWebhooks: {
    wakes: true,
    summary: ({ webhookId }) => `Retries of webhook ${webhookId}`,
    details: ({ webhookId }) => `Sends the receiver of webhook ${webhookId} the deliveries that it has not taken yet.`,
  },
};

const command = async ({ client, taskQueue, profile }: Target, claim: CommandClaim): Promise<void> => {
  const { type, input, search } = claim.command;
  const { label } = claim;
  const payment = label === null ? `payment ${input.paymentId ?? ''}` : describeLabel(label);
  const { wakes, summary, details } = manners[type];
  const options = {
    workflowId: claim.workflowId,
    taskQueue,
    args: [{ ...input, profile }],
    workflowTaskTimeout: timings[profile].workflowTask,
    typedSearchAttributes: [
      { key: searchAttributes.paymentIds, value: [...(search.payment_ids ?? [])] },
      { key: searchAttributes.walletIds, value: [...(search.wallet_ids ?? [])] },
      { key: searchAttributes.nodeIds, value: [...(search.node_ids ?? [])] },
      ...(search.network_id === undefined ? [] : [{ key: searchAttributes.networkId, value: search.network_id }]),
      ...(label === null ? [] : [externalIds([label])]),
    ],
    staticSummary: summary(input, payment),
    staticDetails: details(input, payment),
  };
  if (wakes) {
    await client.workflow.signalWithStart(workflowTypes[type], {
      ...options,
      signal: advanceSignal,
      signalArgs: [],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    return;
  }
  await client.workflow
    .start(workflowTypes[type], { ...options, workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' })
    .catch((error: unknown) => {
      // An earlier dispatch arrived, but its response was lost.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
};

/**
 * What the dispatcher and its store say to each other. The outbox holds what Temporal is to be told; each row was
 * written in the transaction it tells of. A claim lends rows for a while: a process that dies with them loses them to the next.
 */
import type { PaymentLabel } from '../payment-label.ts';
import type { PaymentMethod, PaymentStatus, StatusDetail } from '../payment.ts';

/** Most payments that go along in one start. */
export const MAX_GROUP = 50;

/** One change of a payment, as its workflow hears of it. Hashes are lower-case hex, `at` is ISO 8601 in UTC. */
export interface PaymentTransition {
  readonly payment_id: string;
  /** Of the log entry; grows by one with every transition of the payment. */
  readonly sequence: number;
  readonly event_type: string;
  /** The status after it. */
  readonly status: PaymentStatus;
  readonly status_detail: StatusDetail | null;
  readonly transaction_hash: string | null;
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly at: string;
}

/** A payment begins to wait, for its `status_detail`, or waits no longer. It is no transition and has no number. */
export type PaymentWait = Omit<PaymentTransition, 'sequence'> & { readonly sequence: null };

/** What the workflows that follow a payment are told. */
export type PaymentChange = PaymentTransition | PaymentWait;

/** Payload of a `create_payment` row. */
export interface CreatePaymentCommand {
  readonly payment_id: string;
  readonly node_id: string;
  /** Null only for off-chain methods. */
  readonly wallet_id: string | null;
  readonly network_id: string;
  readonly method: 'web3' | 'offchain';
  /** ISO 8601 in UTC. */
  readonly expires_at: string;
}

/** Commands of payments and diamonds, and those of webhooks: neither waits for the other. */
export type CommandTopic = 'command' | 'webhook_command';

/** Workflows that are started, or told to look again, by a command. */
export type CommandedWorkflow = 'diamond' | 'cancelPayment' | 'retrySend' | 'retryWebhooks';

/** Payload of a command's row, which names the workflow's id beside it. */
export interface WorkflowCommand {
  readonly type: CommandedWorkflow;
  /** What the workflow is started with, without the profile. */
  readonly input: Readonly<Record<string, string | number>>;
  /** What operators find it by. */
  readonly search: {
    readonly payment_ids?: readonly string[];
    readonly wallet_ids?: readonly string[];
    readonly node_ids?: readonly string[];
    readonly network_id?: string;
  };
}

/** The group a payment's start belongs to: payments of one group go along in one start. */
export const startGroup = (networkId: string, method: PaymentMethod): string =>
  `${networkId}:${method === 'web3' ? 'web3' : 'offchain'}`;

/** Payments to start in one workflow. The membership is stored, so every claim of this workflow has the same commands. */
export interface StartClaim {
  readonly workflowId: string;
  readonly groupKey: string;
  readonly rowIds: readonly string[];
  readonly commands: readonly CreatePaymentCommand[];
  /** Of its payments, by their ids. */
  readonly labels: ReadonlyMap<string, PaymentLabel>;
  /** How often its dispatch has failed. */
  readonly attempts: number;
}

/** What one running workflow is to be told, oldest first. */
export interface SignalClaim {
  readonly workflowId: string;
  readonly rowIds: readonly string[];
  readonly changes: readonly PaymentChange[];
  readonly attempts: number;
}

/** A workflow that is to be started or told to look again. All due rows of one workflow are one claim. */
export interface CommandClaim {
  readonly workflowId: string;
  readonly rowIds: readonly string[];
  /** The newest: what was commanded before it is in the database, where the workflow looks. */
  readonly command: WorkflowCommand;
  /** Of the payment that it is about, if it is about one. */
  readonly label: PaymentLabel | null;
  readonly attempts: number;
}

/**
 * The rows, behind SQL. "Due" is undelivered with `next_attempt_at` in the past. A claim moves `next_attempt_at` on by
 * `claimMs`, so no other process takes the rows meanwhile, and commits before it returns; it never waits for rows that
 * another process is claiming.
 */
export interface OutboxStore {
  /** Groups that have due starts. */
  startGroups(): Promise<string[]>;
  /**
   * Claims the next start of a group, or null. First one whose membership is stored already, whole or not at all; else
   * the oldest due rows without a workflow, up to `limit`, which get the id of their workflow here,
   * in the same transaction as their payments.
   */
  claimStart(groupKey: string, options: { limit: number; claimMs: number }): Promise<StartClaim | null>;
  /**
   * Claims the due signals of up to `limit` workflows, oldest first, each with at most `perWorkflow` changes; only of
   * workflows whose start is delivered, and of none in `except`. A payment has the workflow of its creation and its followers.
   */
  claimSignals(options: {
    limit: number;
    perWorkflow: number;
    claimMs: number;
    except: readonly string[];
  }): Promise<SignalClaim[]>;
  /**
   * Claims the due commands of up to `limit` workflows, oldest first, of none in `except`. Those of webhooks that are
   * disabled or deleted are forgotten.
   */
  claimCommands(
    topic: CommandTopic,
    options: { limit: number; claimMs: number; except: readonly string[] },
  ): Promise<CommandClaim[]>;
  /** What was renewed since it was claimed is due again. */
  markDelivered(rowIds: readonly string[]): Promise<void>;
  /** Gives rows back, due again after `retryInMs`. The error is for operators and holds no secret. */
  markFailed(rowIds: readonly string[], error: string, retryInMs: number): Promise<void>;
  /** Deletes some of what was delivered more than a week ago, oldest first; false when nothing was left to delete. */
  forgetDelivered(): Promise<boolean>;
}

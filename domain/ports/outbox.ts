/**
 * What the dispatcher and the store of the outbox pass to each other. The outbox holds commands for Temporal; each row was written in the
 * transaction of its cause. A claim reserves rows for a while; if its process dies, another one claims them.
 */
import type { PaymentLabel } from '../payment-label.ts';
import type { PaymentMethod, PaymentStatus, StatusDetail } from '../payment.ts';

/** Most payments per start. */
export const MAX_GROUP = 50;

/** One transition of a payment, as its workflows receive it. Hashes are lower-case hex, `at` is ISO 8601 in UTC. */
export interface PaymentTransition {
  readonly payment_id: string;
  /** Number of the log entry; grows by one with every transition of the payment. */
  readonly sequence: number;
  readonly event_type: string;
  /** The status after the transition. */
  readonly status: PaymentStatus;
  readonly status_detail: StatusDetail | null;
  readonly transaction_hash: string | null;
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly at: string;
}

/** A payment starts to wait for the reason in `status_detail`, or stops waiting. It is no transition and has no number. */
export type PaymentWait = Omit<PaymentTransition, 'sequence'> & { readonly sequence: null };

/** A change that the workflows of a payment receive. */
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

/** Commands of payments and diamonds, and commands of webhooks. Neither waits for the other. */
export type CommandTopic = 'command' | 'webhook_command';

/** Workflows that a command starts or wakes. */
export type CommandedWorkflow = 'diamond' | 'cancelPayment' | 'retrySend' | 'retryWebhooks';

/** Payload of a command's row. The row also has the workflow's id. */
export interface WorkflowCommand {
  readonly type: CommandedWorkflow;
  /** Input of the workflow, without the profile. */
  readonly input: Readonly<Record<string, string | number>>;
  /** Search attributes for operators. */
  readonly search: {
    readonly payment_ids?: readonly string[];
    readonly wallet_ids?: readonly string[];
    readonly node_ids?: readonly string[];
    readonly network_id?: string;
  };
}

/** The group of a payment's start. Payments of one group can share a start. */
export const startGroup = (networkId: string, method: PaymentMethod): string =>
  `${networkId}:${method === 'web3' ? 'web3' : 'offchain'}`;

/** Payments that one workflow starts with. The group is stored, so every claim of this workflow has the same commands. */
export interface StartClaim {
  readonly workflowId: string;
  readonly groupKey: string;
  readonly rowIds: readonly string[];
  readonly commands: readonly CreatePaymentCommand[];
  /** Labels of its payments, by their ids. */
  readonly labels: ReadonlyMap<string, PaymentLabel>;
  /** Number of failed dispatches. */
  readonly attempts: number;
}

/** Due changes for one running workflow, oldest first. */
export interface SignalClaim {
  readonly workflowId: string;
  readonly rowIds: readonly string[];
  readonly changes: readonly PaymentChange[];
  readonly attempts: number;
}

/** A workflow to start or wake. All due rows of one workflow are one claim. */
export interface CommandClaim {
  readonly workflowId: string;
  readonly rowIds: readonly string[];
  /** The newest command. The workflow reads the subjects of older ones from the database. */
  readonly command: WorkflowCommand;
  /** Label of its payment; null when it has none. */
  readonly label: PaymentLabel | null;
  readonly attempts: number;
}

/** After so many failures a call and its claim have four times as long, because Temporal may be slow. */
export const PATIENT_AFTER = 2;

/** The factor by which a call and its claim are longer after so many failures. */
export const patience = (attempts: number): number => 2 ** Math.min(attempts, PATIENT_AFTER);

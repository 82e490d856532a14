/**
 * What the outside says to workflows: their names, task queues, inputs and signals. Code that starts or signals
 * one imports this file and nothing else of the folder; the ids are in domain/workflow-ids.ts.
 */
import { defineSearchAttributeKey } from '@temporalio/common';
import { defineSignal } from '@temporalio/workflow';
import type { PaymentChange } from '../domain/ports/outbox.ts';
import type { Profile } from './timing.ts';

export { timings, type Profile } from './timing.ts';

/** Names of the workflow functions. */
export const workflowTypes = {
  createPayment: 'createPayment',
  diamond: 'diamond',
  inspect: 'inspect',
  cancelPayment: 'cancelPayment',
  retrySend: 'retrySend',
  sendWebhooks: 'sendWebhooks',
  retryWebhooks: 'retryWebhooks',
  lane: 'lane',
  watchNetwork: 'watchNetwork',
} as const;

/** Queue of the long activities of lanes and watchers, so that they never take a slot from a payment's step. */
export const chainTaskQueue = (taskQueue: string): string => `${taskQueue}-chain`;

/** Queue of the retries of webhooks, so that a receiver that hangs takes no slot from anything else. */
export const webhookTaskQueue = (taskQueue: string): string => `${taskQueue}-webhooks`;

/** Queue of inspections, so that many who ask take no slot from anything else. */
export const inspectionTaskQueue = (taskQueue: string): string => `${taskQueue}-inspections`;

/** Follows 1 to 50 payments of one network to their ends. */
export interface CreatePaymentInput {
  /** `expiresAt` is ISO 8601 in UTC. */
  readonly payments: readonly { readonly id: string; readonly expiresAt: string }[];
  readonly networkId: string;
  readonly method: 'web3' | 'offchain';
  readonly profile: Profile;
  /** What its starter has written as `PaymentStatuses`. Runs of before have none, and write it at their end only. */
  readonly statuses?: string;
}

/** Drains the deployments of one wallet's diamond on one network. */
export interface DiamondInput {
  readonly walletId: string;
  readonly networkId: string;
  readonly profile: Profile;
}

/** Looks at one wallet's diamond on one network. */
export interface InspectInput {
  readonly walletId: string;
  readonly networkId: string;
  /** Where the diamond is, or would be. */
  readonly address: string;
  readonly profile: Profile;
}

/** Cancels one payment. */
export interface CancelPaymentInput {
  readonly paymentId: string;
  /** Of the log entry that asks for it. */
  readonly sequence: number;
  readonly profile: Profile;
}

/** Sends the deal of one payment again. */
export interface RetrySendInput {
  readonly paymentId: string;
  /** Of the log entry that asks for it. */
  readonly sequence: number;
  readonly profile: Profile;
}

/** Makes the first attempts of all deliveries, without end. */
export interface SendWebhooksInput {
  readonly profile: Profile;
}

/** Drains what one failing configuration has not taken. */
export interface RetryWebhooksInput {
  readonly webhookId: string;
  readonly profile: Profile;
}

/** Runs the lane of one signer on one network, without end. */
export interface LaneInput {
  readonly networkId: string;
  readonly accountId: string;
  readonly address: string;
  readonly profile: Profile;
}

/** Watches one network, without end. */
export interface WatchNetworkInput {
  readonly networkId: string;
  readonly profile: Profile;
}

/** Changes of payments that a workflow follows; the same one may come twice, and out of order. */
export const transitionsSignal = defineSignal<[readonly PaymentChange[]]>('transitions');

/** Something happened that the workflow waits for, or there is a new command: it looks at the database. */
export const advanceSignal = defineSignal('advance');

/** What operators find workflows by. SQL visibility has room for three keyword lists; of a text, each word is found. */
export const searchAttributes = {
  paymentIds: defineSearchAttributeKey('PaymentIds', 'KEYWORD_LIST'),
  walletIds: defineSearchAttributeKey('WalletIds', 'KEYWORD_LIST'),
  nodeIds: defineSearchAttributeKey('NodeIds', 'KEYWORD_LIST'),
  networkId: defineSearchAttributeKey('NetworkId', 'KEYWORD'),
  /** Statuses of the payments, and why they wait. */
  paymentStatuses: defineSearchAttributeKey('PaymentStatuses', 'TEXT'),
  externalIds: defineSearchAttributeKey('ExternalIds', 'TEXT'),
  /** The newest ones, as many as fit. */
  transactionHashes: defineSearchAttributeKey('TransactionHashes', 'TEXT'),
} as const;

/**
 * The interface of the workflows: names, task queues, inputs and signals. Code that starts or signals a workflow imports
 * this file and nothing else of the folder; the ids are in domain/workflow-ids.ts.
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
  offerDeals: 'offerDeals',
  watchNetwork: 'watchNetwork',
} as const;

/** Queue of the long activities of lanes and watchers, which must not take slots from the steps of payments. */
export const chainTaskQueue = (taskQueue: string): string => `${taskQueue}-chain`;

/** Queue of the retries of webhooks: a receiver that hangs takes slots from retries alone. */
export const webhookTaskQueue = (taskQueue: string): string => `${taskQueue}-webhooks`;

/** Queue of inspections: many requests take slots from inspections alone. */
export const inspectionTaskQueue = (taskQueue: string): string => `${taskQueue}-inspections`;

/** Of `createPayment`, which follows 1 to 50 payments of one network to their ends. */
export interface CreatePaymentInput {
  /** `expiresAt` is ISO 8601 in UTC. */
  readonly payments: readonly { readonly id: string; readonly expiresAt: string }[];
  readonly networkId: string;
  readonly method: 'web3' | 'offchain';
  readonly profile: Profile;
  /** The value that the starter wrote as `PaymentStatuses`. Absent for runs of older versions of Carat, which write it at their end only. */
  readonly statuses?: string;
}

/** Of `diamond`, which runs the deployments and updates of one wallet's diamond on one network. */
export interface DiamondInput {
  readonly walletId: string;
  readonly networkId: string;
  readonly profile: Profile;
}

/** Of `inspect`, which inspects one wallet's diamond on one network. */
export interface InspectInput {
  readonly walletId: string;
  readonly networkId: string;
  /** Of the diamond, deployed or not. */
  readonly address: string;
  readonly profile: Profile;
}

/** Of `cancelPayment`. */
export interface CancelPaymentInput {
  readonly paymentId: string;
  /** Of the log entry that requests it. */
  readonly sequence: number;
  readonly profile: Profile;
}

/** Of `retrySend`. */
export interface RetrySendInput {
  readonly paymentId: string;
  /** Of the log entry that requests it. */
  readonly sequence: number;
  readonly profile: Profile;
}

/** Of `sendWebhooks`, which makes the first attempts of all deliveries and never ends. */
export interface SendWebhooksInput {
  readonly profile: Profile;
}

/** Of `retryWebhooks`, which retries the deliveries of one failing configuration. */
export interface RetryWebhooksInput {
  readonly webhookId: string;
  readonly profile: Profile;
}

/** Of `lane`, which sends the transactions of one signer on one network. */
export interface LaneInput {
  readonly networkId: string;
  readonly accountId: string;
  readonly address: string;
  readonly profile: Profile;
}

/** Of `offerDeals`, which signs the offers of one network. */
export interface OfferDealsInput {
  readonly networkId: string;
  readonly profile: Profile;
}

/** Of `watchNetwork`. */
export interface WatchNetworkInput {
  readonly networkId: string;
  readonly profile: Profile;
}

/** Changes of payments that a workflow follows. A change may arrive twice, and changes may arrive out of order. */
export const transitionsSignal = defineSignal<[readonly PaymentChange[]]>('transitions');

/** Wakes a workflow for news or a new command, which it reads from the database. */
export const advanceSignal = defineSignal('advance');

/** The search attributes of workflows. SQL visibility has room for three keyword lists; a text is found by each of its words. */
export const searchAttributes = {
  paymentIds: defineSearchAttributeKey('PaymentIds', 'KEYWORD_LIST'),
  walletIds: defineSearchAttributeKey('WalletIds', 'KEYWORD_LIST'),
  nodeIds: defineSearchAttributeKey('NodeIds', 'KEYWORD_LIST'),
  networkId: defineSearchAttributeKey('NetworkId', 'KEYWORD'),
  /** The statuses of the payments, and the reasons why they wait. */
  paymentStatuses: defineSearchAttributeKey('PaymentStatuses', 'TEXT'),
  externalIds: defineSearchAttributeKey('ExternalIds', 'TEXT'),
  /** The newest hashes, as many as fit. */
  transactionHashes: defineSearchAttributeKey('TransactionHashes', 'TEXT'),
} as const;

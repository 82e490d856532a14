import type { Knex } from 'knex';
import { raw } from 'objection';
import { DomainError } from '../../domain/errors.ts';
import type { OptionalEvent, WebhookAuthType } from '../../domain/webhook.ts';
import { BaseModel } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { hasRows, rowIf, rowOf, rowsOf } from '../query/statements.ts';

/** A webhook configuration: the target of events about a wallet's payments on one network, or the operator's own for alerts. */
export class WebhookModel extends BaseModel {
  static override readonly tableName = 'webhook_configurations';

  declare id: string;
  /** Null, as the network, in the operator's own. */
  declare wallet_id: string | null;
  declare network_id: string | null;
  /** Restricts the events to payments of this node and those below; null for all payments through the wallet. */
  declare node_id: string | null;
  /** An origin in its normal form. */
  declare host: string;
  declare success_path: string;
  declare error_path: string;
  declare auth_type: WebhookAuthType;
  /** Null once deleted, like the signing secret. */
  declare encrypted_credentials: Buffer | null;
  declare encrypted_signing_secret: Buffer | null;
  /** The secret before the last rotation, and the time until which it also signs. */
  declare previous_encrypted_signing_secret: Buffer | null;
  declare previous_signing_secret_until: Date | null;
  declare events: OptionalEvent[];
  declare is_active: boolean;
  declare disabled_reason: string | null;
  /** Time since which no attempt has succeeded; null while attempts succeed. */
  declare failing_since: Date | null;
  declare deleted_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** The wallet of a new webhook. */
export interface WebhookWallet {
  readonly id: string;
  readonly node_id: string;
  readonly chain_id: string;
  /** True when the wallet's node is `scopeId` or below it. */
  readonly in_reach: boolean;
}

/** Finds a live wallet of any node, and locks it against deletion until the transaction ends; null when it does not exist. */
export const findWebhookWallet = (trx: Knex, scopeId: string, walletId: string): Promise<WebhookWallet | null> =>
  rowIf<WebhookWallet>(trx, [scopeId, walletId])(`
     SELECT w.id, w.node_id, w.chain_id, ?::uuid = ANY (n.path) AS in_reach
     FROM wallets w JOIN nodes n ON n.id = w.node_id WHERE w.id = ? AND w.deleted_at IS NULL FOR SHARE OF w`);

/** A configuration, with the access of a caller of the node `scopeId`. */
export interface FoundWebhook {
  readonly webhook: WebhookModel;
  readonly walletNodeId: string;
  /** True when the wallet's node is `scopeId` or below it. */
  readonly walletInReach: boolean;
  /** True when the configuration's own node is. */
  readonly nodeInReach: boolean;
}

/** Finds a live configuration of any node's wallet, optionally locked until the transaction ends; null when it does not exist. */
export const findWebhook = async (
  trx: Knex,
  scopeId: string,
  id: string,
  use: 'read' | 'locked' = 'read',
): Promise<FoundWebhook | null> => {
  const query = WebhookModel.query(trx).live().findById(id);
  const webhook = await (use === 'locked' ? query.forUpdate() : query);
  if (webhook === undefined) return null;
  const [found] = await rowsOf<{ id: string; wallet_in_reach: boolean; node_in_reach: boolean }>(trx, {
    scopeId,
    nodeId: webhook.node_id,
    walletId: webhook.wallet_id,
  })(`
     SELECT n.id, CAST(:scopeId AS uuid) = ANY (n.path) AS wallet_in_reach,
       EXISTS (SELECT 1 FROM nodes o WHERE o.id = :nodeId AND CAST(:scopeId AS uuid) = ANY (o.path)) AS node_in_reach
     FROM wallets w JOIN nodes n ON n.id = w.node_id WHERE w.id = :walletId`);
  return found === undefined
    ? null
    : { webhook, walletNodeId: found.id, walletInReach: found.wallet_in_reach, nodeInReach: found.node_in_reach };
};

const webhookExists = (): DomainError =>
  new DomainError('webhook_exists', 'A webhook with this wallet, network, host and node already exists');

/** A new configuration. The caller chooses the id, because the secrets are encrypted for it. */
export type NewWebhook = Pick<
  WebhookModel,
  | 'id'
  | 'wallet_id'
  | 'network_id'
  | 'node_id'
  | 'host'
  | 'success_path'
  | 'error_path'
  | 'auth_type'
  | 'encrypted_credentials'
  | 'encrypted_signing_secret'
  | 'events'
  | 'is_active'
>;

/** Most live configurations of a node. */
const MAX_OF_A_NODE = 200;
/** Most of them for one wallet on one network, because each adds a row to every event. */
const MAX_OF_A_WALLET = 16;

/** The node, wallet and network whose configurations are counted. */
interface WebhookPlace {
  /** Node of the configuration, or else of its wallet. */
  readonly nodeId: string;
  readonly walletId: string;
  readonly networkId: string;
}

/**
 * Makes sure that a node may have one more configuration. Counts those restricted to the node, and unrestricted ones of its
 * wallets.
 * @throws DomainError too_many_webhooks
 */
export const assertBelowWebhookLimit = async (trx: Knex, { nodeId, ...place }: WebhookPlace): Promise<void> => {
  // Locked, so that concurrent requests count each other.
  await trx.raw('SELECT 1 FROM nodes WHERE id = ? FOR NO KEY UPDATE', [nodeId]);
  const { of_node: ofNode, of_wallet: ofWallet } = await rowOf<{ of_node: number; of_wallet: number }>(trx, {
    nodeId,
    ...place,
  })(`
     SELECT count(*)::integer AS of_node,
       count(*) FILTER (WHERE c.wallet_id = :walletId AND c.network_id = :networkId)::integer AS of_wallet
     FROM webhook_configurations c JOIN wallets w ON w.id = c.wallet_id
     WHERE c.deleted_at IS NULL AND coalesce(c.node_id, w.node_id) = :nodeId`);
  if (ofNode >= MAX_OF_A_NODE) {
    throw new DomainError('too_many_webhooks', `The node already has ${MAX_OF_A_NODE} webhooks`);
  }
  if (ofWallet >= MAX_OF_A_WALLET) {
    const message = `The node already has ${MAX_OF_A_WALLET} webhooks of this wallet on this network`;
    throw new DomainError('too_many_webhooks', message);
  }
};

/**
 * Stores a configuration.
 * @throws DomainError webhook_exists when a live one of the same wallet, network, host and node exists
 */
export const insertWebhook = async (trx: Knex, webhook: NewWebhook): Promise<WebhookModel> =>
  WebhookModel.query(trx).insert(webhook).returning('*').refuseTwins('webhook_configurations_once', webhookExists);

export type WebhookChange = Partial<
  Pick<
    WebhookModel,
    | 'host'
    | 'success_path'
    | 'error_path'
    | 'auth_type'
    | 'encrypted_credentials'
    | 'events'
    | 'is_active'
    | 'disabled_reason'
    | 'failing_since'
  >
>;

/**
 * Changes a live configuration and returns it.
 * @throws DomainError webhook_exists when another one with the same wallet, network and node has the host
 */
export const updateWebhook = async (trx: Knex, id: string, change: WebhookChange): Promise<WebhookModel> =>
  WebhookModel.query(trx).live().findById(id).touch(change).refuseTwins('webhook_configurations_once', webhookExists);

/** Milliseconds for which the previous secret also signs. */
const OVERLAP_MS = 24 * 3_600_000;

/** Replaces the signing secret of a configuration. The previous one also signs for another day. */
export const rotateSigningSecret = async (trx: Knex, id: string, encrypted: Buffer): Promise<WebhookModel> =>
  WebhookModel.query(trx)
    .live()
    .findById(id)
    .touch({
      encrypted_signing_secret: encrypted,
      previous_encrypted_signing_secret: raw('encrypted_signing_secret'),
      previous_signing_secret_until: new Date(Date.now() + OVERLAP_MS),
    } as never);

/** Soft-deletes a configuration and erases its secrets. */
export const deleteWebhook = async (trx: Knex, id: string): Promise<void> => {
  await WebhookModel.query(trx).findById(id).softDelete({
    encrypted_credentials: null,
    encrypted_signing_secret: null,
    previous_encrypted_signing_secret: null,
    previous_signing_secret_until: null,
  });
};

/**
 * True when a caller of the node may list the configurations of a wallet, deleted or not: the wallet, or one of its
 * configurations, belongs to that node or one below.
 */
export const isWalletInSight = (knex: Knex, scopeId: string, walletId: string): Promise<boolean> =>
  hasRows(knex, { scopeId, walletId })(`SELECT 1 FROM wallets w JOIN nodes n ON n.id = w.node_id
     WHERE w.id = :walletId AND (CAST(:scopeId AS uuid) = ANY (n.path)
       OR EXISTS (SELECT 1 FROM webhook_configurations c JOIN nodes o ON o.id = c.node_id
         WHERE c.wallet_id = w.id AND c.deleted_at IS NULL AND CAST(:scopeId AS uuid) = ANY (o.path)))`);

const listedColumns = [
  'id',
  'wallet_id',
  'network_id',
  'node_id',
  'host',
  'success_path',
  'error_path',
  'auth_type',
  'events',
  'is_active',
  'disabled_reason',
  'failing_since',
  'created_at',
  'updated_at',
] as const satisfies (keyof WebhookModel)[];

/** A configuration without its secrets. */
export type ListedWebhookModel = Pick<WebhookModel, (typeof listedColumns)[number]>;

/** Lists live configurations of the node `scopeId` and those below, by their wallets or their own nodes, newest first. */
export const listWebhooks = (
  knex: Knex,
  filter: { readonly scopeId: string; readonly walletId?: string | undefined },
  request: PageRequest,
): Promise<Page<ListedWebhookModel>> => {
  const query = WebhookModel.query(knex)
    .select(...listedColumns)
    .live()
    .matching({ wallet_id: filter.walletId })
    .whereRaw(
      `(node_id IN (SELECT id FROM nodes WHERE path @> ARRAY[:scopeId]::uuid[]) OR wallet_id IN (
         SELECT w.id FROM wallets w JOIN nodes n ON n.id = w.node_id WHERE n.path @> ARRAY[:scopeId]::uuid[]))`,
      { scopeId: filter.scopeId },
    );
  return fetchPage(query, request);
};

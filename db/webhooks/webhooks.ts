import type { Knex } from 'knex';
import { raw } from 'objection';
import { DomainError } from '../../domain/errors.ts';
import type { OptionalEvent, WebhookAuthType } from '../../domain/webhook.ts';
import { BaseModel } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** Where the events of a wallet's payments on one network go. */
export class WebhookModel extends BaseModel {
  static override readonly tableName = 'webhook_configurations';

  declare id: string;
  declare wallet_id: string;
  declare network_id: string;
  /** Null: hears of every payment through the wallet. */
  declare node_id: string | null;
  /** An origin in its normal form. */
  declare host: string;
  declare success_path: string;
  declare error_path: string;
  declare auth_type: WebhookAuthType;
  /** Null once deleted, as the signing secret. */
  declare sealed_credentials: Buffer | null;
  declare sealed_signing_secret: Buffer | null;
  /** The one before the last rotation, and until when it signs as well. */
  declare previous_sealed_signing_secret: Buffer | null;
  declare previous_signing_secret_until: Date | null;
  declare events: OptionalEvent[];
  declare is_active: boolean;
  declare disabled_reason: string | null;
  /** Since when no attempt has succeeded; null while they do. */
  declare failing_since: Date | null;
  declare deleted_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** What a webhook must know of its wallet. */
export interface WebhookWallet {
  readonly id: string;
  readonly node_id: string;
  readonly chain_id: string;
  /** True when the wallet's node is `scopeId` or below it. */
  readonly in_reach: boolean;
}

/** A live wallet of any node, kept from being deleted until the transaction ends; null if there is none. */
export const findWebhookWallet = async (
  trx: Knex,
  scopeId: string,
  walletId: string,
): Promise<WebhookWallet | null> => {
  const { rows } = await trx.raw<{ rows: WebhookWallet[] }>(
    `SELECT w.id, w.node_id, w.chain_id, ?::uuid = ANY (n.path) AS in_reach
     FROM wallets w JOIN nodes n ON n.id = w.node_id WHERE w.id = ? AND w.deleted_at IS NULL FOR SHARE OF w`,
    [scopeId, walletId],
  );
  return rows[0] ?? null;
};

/** A configuration as a caller of the node `scopeId` may deal with it. */
export interface FoundWebhook {
  readonly webhook: WebhookModel;
  readonly walletNodeId: string;
  /** True when that node is `scopeId` or below it. */
  readonly walletInReach: boolean;
  /** True when the node that it hears of is. */
  readonly nodeInReach: boolean;
}

/** A live configuration of any node's wallet, maybe locked until the transaction ends; null if there is none. */
export const findWebhook = async (
  trx: Knex,
  scopeId: string,
  id: string,
  use: 'read' | 'locked' = 'read',
): Promise<FoundWebhook | null> => {
  const query = WebhookModel.query(trx).live().findById(id);
  const webhook = await (use === 'locked' ? query.forUpdate() : query);
  if (webhook === undefined) return null;
  const { rows } = await trx.raw<{ rows: { id: string; wallet_in_reach: boolean; node_in_reach: boolean }[] }>(
    `SELECT n.id, CAST(:scopeId AS uuid) = ANY (n.path) AS wallet_in_reach,
       EXISTS (SELECT 1 FROM nodes o WHERE o.id = :nodeId AND CAST(:scopeId AS uuid) = ANY (o.path)) AS node_in_reach
     FROM wallets w JOIN nodes n ON n.id = w.node_id WHERE w.id = :walletId`,
    { scopeId, nodeId: webhook.node_id, walletId: webhook.wallet_id },
  );
  const [found] = rows;
  return found === undefined
    ? null
    : { webhook, walletNodeId: found.id, walletInReach: found.wallet_in_reach, nodeInReach: found.node_in_reach };
};

const webhookExists = (): DomainError =>
  new DomainError('webhook_exists', 'A webhook with this wallet, network, host and node already exists');

/** What a configuration is made of. The id is given because secrets are encrypted for it. */
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
  | 'sealed_credentials'
  | 'sealed_signing_secret'
  | 'events'
  | 'is_active'
>;

/** Live configurations of a node at most. */
const MAX_OF_A_NODE = 200;
/** Those of one wallet on one network: each event of a payment is written once for each that hears of it. */
const MAX_OF_A_WALLET = 16;

/** What a configuration is counted with. */
interface WebhookPlace {
  /** That it hears of, else that of its wallet. */
  readonly nodeId: string;
  readonly walletId: string;
  readonly networkId: string;
}

/**
 * Makes sure that a node may have one configuration more. Its own are those that hear of it alone, and those of its wallets
 * that hear of everything.
 * @throws DomainError too_many_webhooks
 */
export const assertRoomForWebhook = async (trx: Knex, { nodeId, ...place }: WebhookPlace): Promise<void> => {
  // Locked, so that those that are made at the same time count each other.
  await trx.raw('SELECT 1 FROM nodes WHERE id = ? FOR NO KEY UPDATE', [nodeId]);
  const { rows } = await trx.raw<{ rows: { of_node: number; of_wallet: number }[] }>(
    `SELECT count(*)::integer AS of_node,
       count(*) FILTER (WHERE c.wallet_id = :walletId AND c.network_id = :networkId)::integer AS of_wallet
     FROM webhook_configurations c JOIN wallets w ON w.id = c.wallet_id
     WHERE c.deleted_at IS NULL AND coalesce(c.node_id, w.node_id) = :nodeId`,
    { nodeId, ...place },
  );
  const { of_node: ofNode, of_wallet: ofWallet } = rows[0]!;
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
 * @throws DomainError webhook_exists when a live one of the same wallet, network, host and node is there
 */
export const insertWebhook = async (trx: Knex, webhook: NewWebhook): Promise<WebhookModel> =>
  WebhookModel.query(trx).insert(webhook).returning('*').refuseTwins('webhook_configurations_once', webhookExists);

/** What of a configuration can be changed. */
export type WebhookChange = Partial<
  Pick<
    WebhookModel,
    | 'host'
    | 'success_path'
    | 'error_path'
    | 'auth_type'
    | 'sealed_credentials'
    | 'events'
    | 'is_active'
    | 'disabled_reason'
    | 'failing_since'
  >
>;

/**
 * Changes a live configuration and answers what it has become.
 * @throws DomainError webhook_exists when another one has the host now
 */
export const updateWebhook = async (trx: Knex, id: string, change: WebhookChange): Promise<WebhookModel> =>
  WebhookModel.query(trx).live().findById(id).touch(change).refuseTwins('webhook_configurations_once', webhookExists);

/** Milliseconds for which the secret before the last rotation signs as well. */
const OVERLAP_MS = 24 * 3_600_000;

/** Gives a configuration another signing secret; the one before signs for a day more. */
export const rotateSecret = async (trx: Knex, id: string, encrypted: Buffer): Promise<WebhookModel> =>
  WebhookModel.query(trx)
    .live()
    .findById(id)
    .touch({
      sealed_signing_secret: encrypted,
      previous_sealed_signing_secret: raw('sealed_signing_secret'),
      previous_signing_secret_until: new Date(Date.now() + OVERLAP_MS),
    } as never);

/** Ends a configuration and erases its secrets. */
export const deleteWebhook = async (trx: Knex, id: string): Promise<void> => {
  await WebhookModel.query(trx)
    .findById(id)
    .softDelete({
      ...{ sealed_credentials: null, sealed_signing_secret: null },
      ...{ previous_sealed_signing_secret: null, previous_signing_secret_until: null },
    });
};

/**
 * Whether a caller of the node may ask for the configurations of a wallet, deleted or not: the wallet is of that node or one
 * below, or one of the configurations hears of such a node.
 */
export const isWalletInSight = async (knex: Knex, scopeId: string, walletId: string): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM wallets w JOIN nodes n ON n.id = w.node_id
     WHERE w.id = :walletId AND (CAST(:scopeId AS uuid) = ANY (n.path)
       OR EXISTS (SELECT 1 FROM webhook_configurations c JOIN nodes o ON o.id = c.node_id
         WHERE c.wallet_id = w.id AND c.deleted_at IS NULL AND CAST(:scopeId AS uuid) = ANY (o.path)))`,
    { scopeId, walletId },
  );
  return rows.length > 0;
};

const listedColumns = [
  ...['id', 'wallet_id', 'network_id', 'node_id', 'host', 'success_path', 'error_path', 'auth_type', 'events'],
  ...['is_active', 'disabled_reason', 'failing_since', 'created_at', 'updated_at'],
] as const satisfies (keyof WebhookModel)[];

/** A configuration without what nobody is shown. */
export type ListedWebhookModel = Pick<WebhookModel, (typeof listedColumns)[number]>;

/** The live configurations of the wallets of `scopeId` and below, and those that hear of such a node, newest first. */
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

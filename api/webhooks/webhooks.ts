import type { Knex } from 'knex';
import { v7 as uuidv7 } from 'uuid';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { assertInUse, chainOfNetwork } from '../../db/catalogue/reads.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { isDefaultWallet } from '../../db/wallets/defaults.ts';
import { closePending } from '../../db/webhooks/deliveries.ts';
import {
  findWebhook,
  assertBelowWebhookLimit,
  deleteWebhook,
  findWebhookWallet,
  insertWebhook,
  isWalletInSight,
  listWebhooks,
  updateWebhook,
  rotateSigningSecret,
  type FoundWebhook,
  type NewWebhook,
  type WebhookChange,
  type WebhookModel,
} from '../../db/webhooks/webhooks.ts';
import { created, deleted, differences, unchanged, updated, changed } from '../../domain/audit.ts';
import { found, outOfReach, DomainError, invalidRequest, notFound } from '../../domain/errors.ts';
import { readWebhookTarget, sortEvents, type WebhookCredentials, type WebhookHosts } from '../../domain/webhook.ts';
import type { Encryption } from '../../runtime/encryption.ts';
import type { WebhookRequest, WebhookUpdate } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';
import {
  decryptCredentials,
  encryptCredentials,
  hasCredentials,
  makeSigningSecret,
  readCredentials,
  refuseForeignCredentials,
} from './credentials.ts';
import { toWebhook } from './response.ts';

const assertInReach = (target: FoundWebhook): FoundWebhook => {
  if (!target.walletInReach && !target.nodeInReach) throw outOfReach("webhook's wallet");
  return target;
};

/**
 * Reads a configuration of a wallet in the caller's reach, or one limited to a node there. Either way all its payments
 * are in reach, because a wallet serves its own node and those below.
 * @throws DomainError webhook_not_found, node_access_denied
 */
export const readWebhook = async (knex: Knex, scopeId: string, id: string): Promise<FoundWebhook> =>
  assertInReach(found(await findWebhook(knex, scopeId, id), 'webhook'));

/** The same, locked until the transaction ends. */
export const lockWebhook = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<FoundWebhook> =>
  assertInReach(found(await findWebhook(trx, scopeId, id, 'locked'), 'webhook'));

/**
 * The node of its audit entries: the wallet's, or the configuration's own if the wallet is out of the caller's reach.
 */
export const auditNodeOf = ({ webhook, walletNodeId, walletInReach }: FoundWebhook): string =>
  walletInReach ? walletNodeId : (webhook.node_id ?? walletNodeId);

interface WebhookDeps {
  readonly knex: Knex;
  readonly encryption: Encryption;
  /** Hosts that webhooks may call. */
  readonly webhookHosts: WebhookHosts;
}

const below = { path: '/body/node_id', message: "must be the wallet's node or a node below it" };

/**
 * Loads the owners of a new configuration: a wallet in the caller's reach, a network of its chain, and optionally a
 * node below it. Or, for the payments of a node in reach only, the default wallet above that this node uses.
 */
const loadOwners = async (trx: Knex, scopeId: string, body: WebhookRequest) => {
  const wallet = found(await findWebhookWallet(trx, scopeId, body.wallet_id), 'wallet');
  if (!wallet.in_reach) {
    const own = { nodeId: body.node_id ?? '', networkId: body.network_id, walletId: wallet.id };
    if (body.node_id == null || !(await isDefaultWallet(trx, scopeId, own))) throw outOfReach('wallet');
  }
  const chainId = found(await chainOfNetwork(trx, body.network_id), 'network');
  const node = body.node_id == null ? null : found(await findNode(trx, wallet.node_id, body.node_id), 'node', below);
  if (chainId !== wallet.chain_id) {
    throw invalidRequest({ path: '/body/network_id', message: "must be a network of the wallet's chain" });
  }
  await assertInUse(trx, body.network_id);
  return { wallet, nodeId: node?.id ?? null };
};

interface WebhookParts {
  readonly body: WebhookRequest;
  /** Normalised. */
  readonly host: string;
  readonly credentials: WebhookCredentials;
  readonly walletId: string;
  readonly nodeId: string | null;
}

/** A new configuration's row, and its secret, which the client sees only once. */
const newWebhook = (encryption: Encryption, { body, host, credentials, walletId, nodeId }: WebhookParts) => {
  const id = uuidv7();
  const { secret, encrypted } = makeSigningSecret(encryption, id);
  const row: NewWebhook = {
    id,
    wallet_id: walletId,
    network_id: body.network_id.toLowerCase(),
    node_id: nodeId,
    host,
    success_path: body.success_path,
    error_path: body.error_path,
    auth_type: body.auth_type,
    encrypted_credentials: encryptCredentials(encryption, id, credentials),
    encrypted_signing_secret: encrypted,
    events: sortEvents(body.events ?? []),
    is_active: body.is_active ?? true,
  };
  return { row, secret };
};

const refuseMove = (stored: WebhookModel, body: WebhookUpdate): void => {
  const moved = (['wallet_id', 'network_id', 'node_id'] as const).filter(
    (name) => body[name] != null && body[name].toLowerCase() !== stored[name],
  );
  if (moved.length === 0) return;
  const errors = moved.map((name) => ({ path: `/body/${name}`, message: 'must not change' }));
  throw new DomainError('immutable_field', `${errors.map(({ path }) => path).join(' and ')} cannot be changed`, {
    errors,
  });
};

/** The changes of a request to a configuration. Credentials in the request always count as changed. */
const changesOf = (
  encryption: Encryption,
  { webhook: stored, walletInReach }: FoundWebhook,
  body: WebhookUpdate,
  host: string | null,
): WebhookChange => {
  const authType = body.auth_type ?? stored.auth_type;
  const events = body.events == null ? stored.events : sortEvents(body.events);
  const changes: WebhookChange = differences(stored, {
    host: host ?? undefined,
    success_path: body.success_path ?? undefined,
    error_path: body.error_path ?? undefined,
    auth_type: authType,
    is_active: body.is_active ?? undefined,
    ...(body.is_active === true ? { disabled_reason: null, failing_since: null } : {}),
  });
  if (events.join() !== stored.events.join()) changes.events = events;
  // The credentials may belong to the wallet's owner, and nobody else may redirect them to another host or path.
  const isMoved = (['host', 'success_path', 'error_path'] as const).some((field) => changes[field] !== undefined);
  const isForeign = isMoved && !walletInReach;
  if (authType !== stored.auth_type || hasCredentials(body) || isForeign) {
    const encrypted = isForeign ? null : stored.encrypted_credentials;
    const current = encrypted === null ? null : decryptCredentials(encryption, stored.id, encrypted);
    changes.encrypted_credentials = encryptCredentials(encryption, stored.id, readCredentials(authType, body, current));
  }
  return changes;
};

/** Webhooks: configurations that receive the events of a wallet's payments. */
export const createWebhookHandlers = ({
  knex,
  encryption,
  webhookHosts,
}: WebhookDeps): Pick<
  Handlers,
  'createWebhook' | 'listWebhooks' | 'updateWebhook' | 'deleteWebhook' | 'rotateWebhookSecret'
> => ({
  createWebhook: async ({ body, caller, audit }) => {
    const host = readWebhookTarget(body, webhookHosts) ?? '';
    const credentials = readCredentials(body.auth_type, body, null);
    return auditedTransaction(knex, audit, async (trx) => {
      const { wallet, nodeId } = await loadOwners(trx, caller.nodeId, body);
      const place = { walletId: wallet.id, networkId: body.network_id };
      await assertBelowWebhookLimit(trx, { nodeId: nodeId ?? wallet.node_id, ...place });
      const { row, secret } = newWebhook(encryption, { body, host, credentials, walletId: wallet.id, nodeId });
      const webhook = toWebhook(await insertWebhook(trx, row));
      const owner = wallet.in_reach ? wallet.node_id : (nodeId ?? wallet.node_id);
      return created('webhook', webhook, { nodeId: owner, secrets: { signing_secret: secret } });
    });
  },

  listWebhooks: async ({ query, caller }) => {
    const request = pageRequest(query);
    const { wallet_id: walletId } = query;
    if (walletId !== undefined && !(await isWalletInSight(knex, caller.nodeId, walletId))) throw notFound('wallet');
    const page = await listWebhooks(knex, { scopeId: caller.nodeId, walletId }, request);
    return { status: 200, body: pageBody(page, request, toWebhook) };
  },

  updateWebhook: async ({ body, caller, audit }) => {
    const host = readWebhookTarget(body, webhookHosts);
    if (body.auth_type != null) refuseForeignCredentials(body.auth_type, body);
    return auditedTransaction(knex, audit, async (trx) => {
      const target = await lockWebhook(trx, caller.nodeId, body.id);
      const { webhook } = target;
      refuseMove(webhook, body);
      const changes = changesOf(encryption, target, body, host);
      const before = toWebhook(webhook);
      if (Object.keys(changes).length === 0) return unchanged(before);
      const after = toWebhook(await updateWebhook(trx, webhook.id, changes));
      if (changes.is_active === false) await closePending(trx, webhook.id, 'skipped');
      const note = changes.encrypted_credentials === undefined ? {} : { credentials_changed: true };
      return updated('webhook', before, after, { nodeId: auditNodeOf(target), note });
    });
  },

  deleteWebhook: ({ body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const target = await lockWebhook(trx, caller.nodeId, body.id);
      await deleteWebhook(trx, target.webhook.id);
      await closePending(trx, target.webhook.id, 'canceled');
      return deleted('webhook', toWebhook(target.webhook), auditNodeOf(target));
    }),

  rotateWebhookSecret: ({ params, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const target = await lockWebhook(trx, caller.nodeId, params.id);
      const { secret, encrypted } = makeSigningSecret(encryption, target.webhook.id);
      const after = toWebhook(await rotateSigningSecret(trx, target.webhook.id, encrypted));
      return {
        answer: { status: 200, body: { ...after, signing_secret: secret } },
        change: changed('webhook.secret_rotated', toWebhook(target.webhook), after, auditNodeOf(target)),
      };
    }),
});

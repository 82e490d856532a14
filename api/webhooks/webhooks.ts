import type { Knex } from 'knex';
import { v7 as uuidv7 } from 'uuid';
import { chainOfNetwork } from '../../db/catalogue/reads.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { findWallet } from '../../db/wallets/wallets.ts';
import {
  deleteWebhook as eraseWebhook,
  findWebhook,
  findWebhookWallet,
  insertWebhook,
  listWebhooks,
  updateWebhook as storeChange,
  type FoundWebhook,
  type WebhookChange,
  type WebhookModel,
} from '../../db/webhooks/webhooks.ts';
import { DomainError, invalidRequest, type FieldError } from '../../domain/errors.ts';
import { optionalEvents, readWebhookHost, webhookPathProblem, type WebhookHosts } from '../../domain/webhook.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import type { Webhook } from '../generated/openapi-types.ts';
import { pageBody, pageRequest } from '../http/page.ts';
import type { Encryption } from '../auth/encryption.ts';
import {
  hasCredentials,
  makeSigningSecret,
  decryptCredentials,
  readCredentials,
  refuseForeignCredentials,
  encryptCredentials,
} from './credentials.ts';

export interface WebhookDeps {
  readonly knex: Knex;
  readonly encryption: Encryption;
  /** Whom webhooks may call. */
  readonly webhookHosts: WebhookHosts;
}

const toWebhook = (webhook: WebhookModel): Webhook => ({
  id: webhook.id,
  wallet_id: webhook.wallet_id,
  network_id: webhook.network_id,
  node_id: webhook.node_id,
  host: webhook.host,
  success_path: webhook.success_path,
  error_path: webhook.error_path,
  auth_type: webhook.auth_type,
  events: webhook.events,
  is_active: webhook.is_active,
  disabled_reason: webhook.disabled_reason,
  created_at: webhook.created_at.toISOString(),
  updated_at: webhook.updated_at.toISOString(),
});

const walletNotFound = (): DomainError => new DomainError('wallet_not_found', 'There is no such wallet');
const outOfReach = (what: string): DomainError =>
  new DomainError('node_access_denied', `The node of the ${what} is out of the caller's reach`);

interface Target {
  readonly host?: string | null;
  readonly success_path?: string | null;
  readonly error_path?: string | null;
}

/**
 * Judges where a configuration points.
 * @returns the host in its normal form; null when the request names none
 * @throws DomainError invalid_request with every field that breaks a rule
 */
const checkTarget = ({ host, ...paths }: Target, hosts: WebhookHosts): string | null => {
  const errors: FieldError[] = [];
  const read = host == null ? null : readWebhookHost(host, hosts);
  if (read !== null && 'problem' in read) errors.push({ path: '/body/host', message: read.problem });
  for (const name of ['success_path', 'error_path'] as const) {
    const path = paths[name];
    const message = path == null ? null : webhookPathProblem(path);
    if (message !== null) errors.push({ path: `/body/${name}`, message });
  }
  if (errors.length > 0) throw invalidRequest(...errors);
  return read !== null && 'origin' in read ? read.origin : null;
};

/** In the order of the list of all events, so that the same set always looks the same. */
const sortEvents = (events: readonly string[]): WebhookModel['events'] =>
  optionalEvents.filter((event) => events.includes(event));

/** Webhook configurations: create, list, update, delete. */
export const createWebhookHandlers = ({
  knex,
  encryption,
  webhookHosts,
}: WebhookDeps): Pick<Handlers, 'createWebhook' | 'listWebhooks' | 'updateWebhook' | 'deleteWebhook'> => {
  /** The configuration to be changed, locked. */
  const locked = async (trx: Knex, scopeId: string, id: string): Promise<FoundWebhook> => {
    const found = await findWebhook(trx, scopeId, id);
    if (found === null) throw new DomainError('webhook_not_found', 'There is no such webhook');
    if (!found.inReach) throw outOfReach("webhook's wallet");
    return found;
  };

  const createWebhook: Handler<'createWebhook'> = ({ body, caller, audit }) => {
    const host = checkTarget(body, webhookHosts) ?? '';
    const credentials = readCredentials(body.auth_type, body, null);
    return auditedTransaction(knex, audit, async (trx) => {
      const wallet = await findWebhookWallet(trx, caller.nodeId, body.wallet_id);
      if (wallet === null) throw walletNotFound();
      if (!wallet.in_reach) throw outOfReach('wallet');
      const chainId = await chainOfNetwork(trx, body.network_id);
      if (chainId === null) throw new DomainError('network_not_found', 'There is no such network');
      const node = body.node_id == null ? null : await findNode(trx, wallet.node_id, body.node_id);
      if (body.node_id != null && node === null) throw new DomainError('node_not_found', 'There is no such node');
      if (chainId !== wallet.chain_id) {
        throw invalidRequest({ path: '/body/network_id', message: "must be a network of the wallet's chain" });
      }
      const id = uuidv7();
      const { secret, sealed } = makeSigningSecret(encryption, id);
      const webhook = toWebhook(
        await insertWebhook(trx, {
          id,
          wallet_id: wallet.id,
          network_id: body.network_id.toLowerCase(),
          node_id: node?.id ?? null,
          host,
          success_path: body.success_path,
          error_path: body.error_path,
          auth_type: body.auth_type,
          sealed_credentials: encryptCredentials(encryption, id, credentials),
          sealed_signing_secret: sealed,
          events: sortEvents(body.events ?? []),
          is_active: body.is_active ?? true,
        }),
      );
      return {
        answer: { status: 201 as const, body: { ...webhook, signing_secret: secret } },
        change: {
          action: 'webhook.created',
          nodeId: wallet.node_id,
          resourceId: id,
          before: null,
          after: webhook,
        },
      };
    });
  };

  const list: Handler<'listWebhooks'> = async ({ query, caller }) => {
    const request = pageRequest(query);
    const { wallet_id: walletId } = query;
    if (walletId !== undefined && (await findWallet(knex, caller.nodeId, walletId)) === null) throw walletNotFound();
    const page = await listWebhooks(knex, { scopeId: caller.nodeId, walletId }, request);
    return { status: 200, body: pageBody(page, request, toWebhook) };
  };

  const updateWebhook: Handler<'updateWebhook'> = ({ body, caller, audit }) => {
    const host = checkTarget(body, webhookHosts);
    if (body.auth_type != null) refuseForeignCredentials(body.auth_type, body);
    return auditedTransaction(knex, audit, async (trx) => {
      const { webhook, walletNodeId } = await locked(trx, caller.nodeId, body.id);
      if (body.node_id != null && body.node_id.toLowerCase() !== webhook.node_id) {
        const errors = [{ path: '/body/node_id', message: 'must not change' }];
        throw new DomainError('immutable_field', '/body/node_id can not be changed', { errors });
      }
      const authType = body.auth_type ?? webhook.auth_type;
      const isSwitched = authType !== webhook.auth_type;
      const credentialsChange = isSwitched || hasCredentials(body);
      const change: WebhookChange = {};
      if (host !== null && host !== webhook.host) change.host = host;
      for (const name of ['success_path', 'error_path'] as const) {
        const path = body[name];
        if (path != null && path !== webhook[name]) change[name] = path;
      }
      if (isSwitched) change.auth_type = authType;
      if (credentialsChange) {
        const sealed = webhook.sealed_credentials;
        const current = sealed === null ? null : decryptCredentials(encryption, webhook.id, sealed);
        change.sealed_credentials = encryptCredentials(
          encryption,
          webhook.id,
          readCredentials(authType, body, current),
        );
      }
      const events = body.events == null ? webhook.events : sortEvents(body.events);
      if (events.join() !== webhook.events.join()) change.events = events;
      if (body.is_active != null && body.is_active !== webhook.is_active) change.is_active = body.is_active;
      if (body.is_active === true && webhook.disabled_reason !== null) change.disabled_reason = null;

      const before = toWebhook(webhook);
      if (Object.keys(change).length === 0) return { answer: { status: 200 as const, body: before }, change: null };
      const after = toWebhook(await storeChange(trx, webhook.id, change));
      const audited = credentialsChange ? { ...after, credentials_changed: true } : after;
      return {
        answer: { status: 200 as const, body: after },
        change: {
          action: 'webhook.updated',
          nodeId: walletNodeId,
          resourceId: webhook.id,
          before,
          after: audited,
        },
      };
    });
  };

  const deleteWebhook: Handler<'deleteWebhook'> = ({ body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const { webhook, walletNodeId } = await locked(trx, caller.nodeId, body.id);
      await eraseWebhook(trx, webhook.id);
      return {
        answer: { status: 204 as const, body: null },
        change: {
          action: 'webhook.deleted',
          nodeId: walletNodeId,
          resourceId: webhook.id,
          before: toWebhook(webhook),
          after: null,
        },
      };
    });

  return { createWebhook, listWebhooks: list, updateWebhook, deleteWebhook };
};

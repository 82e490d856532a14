import type { Knex } from 'knex';
import { findWebhook, type FoundWebhook } from '../../db/webhooks/webhooks.ts';
import { found, outOfReach } from '../../domain/errors.ts';

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

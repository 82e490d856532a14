import type { Knex } from 'knex';
import { findWebhook, type FoundWebhook } from '../../db/webhooks/webhooks.ts';
import { found, outOfReach } from '../../domain/errors.ts';

const assertInReach = (target: FoundWebhook): FoundWebhook => {
  if (!target.walletInReach && !target.nodeInReach) throw outOfReach("webhook's wallet");
  return target;
};

/**
 * A configuration of a wallet in the caller's reach, or that hears only of a node there. Either way every payment that it
 * hears of is in reach: a wallet serves its own node and those below.
 * @throws DomainError webhook_not_found, node_access_denied
 */
export const readWebhook = async (knex: Knex, scopeId: string, id: string): Promise<FoundWebhook> =>
  assertInReach(found(await findWebhook(knex, scopeId, id), 'webhook'));

/** The same, locked until the transaction ends, because it is to be changed. */
export const lockWebhook = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<FoundWebhook> =>
  assertInReach(found(await findWebhook(trx, scopeId, id, 'locked'), 'webhook'));

/** Under which node the audit log has it: the wallet's, or its own where the wallet is none of the caller's. */
export const auditNodeOf = ({ webhook, walletNodeId, walletInReach }: FoundWebhook): string =>
  walletInReach ? walletNodeId : (webhook.node_id ?? walletNodeId);

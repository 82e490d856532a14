import type { Knex } from 'knex';
import { lackedPermissions } from '../domain/access.ts';
import { DomainError, invalidRequest } from '../domain/errors.ts';
import { findIntegration, insertIntegration, makeCredentials } from '../db/integrations.ts';
import type { IntegrationModel } from '../db/models/integration.ts';
import { findNode } from '../db/nodes.ts';
import { perform } from '../db/perform.ts';
import { toDate } from './formats.ts';
import type { Handler, Handlers } from './handler.ts';

/** RFC 3339 writes years with four digits, and an offset may lead beyond. */
const LAST_TIMESTAMP_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const toIntegration = (integration: IntegrationModel) => ({
  id: integration.id,
  node_id: integration.node_id,
  name: integration.name,
  api_key: integration.api_key,
  permissions: integration.permissions,
  expires_at: integration.expires_at?.toISOString() ?? null,
  created_at: integration.created_at.toISOString(),
});

/** `POST /api/v1/integrations`: nobody grants what they lack, and nothing outlives its creator. */
export const createIntegrationHandlers = ({ knex }: { readonly knex: Knex }): Pick<Handlers, 'createIntegration'> => {
  const createIntegration: Handler<'createIntegration'> = async ({ body, caller, act }) => {
    const expiresAt = body.expires_at == null ? null : toDate(body.expires_at);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
      throw invalidRequest({ path: '/body/expires_at', message: 'must be in the future' });
    }
    if (expiresAt !== null && expiresAt.getTime() > LAST_TIMESTAMP_MS) {
      throw invalidRequest({ path: '/body/expires_at', message: 'must be before the year 10000 in UTC' });
    }
    const permissions = body.permissions ?? caller.permissions;
    const lacked = lackedPermissions(caller, permissions);
    if (lacked.length > 0) {
      throw new DomainError('permission_denied', `The integration can not grant what it lacks: ${lacked.join(', ')}`);
    }
    const node = await findNode(knex, caller.nodeId, body.node_id);
    if (node === null) throw new DomainError('node_not_found', 'There is no such node');
    const creator = caller.integrationId === null ? undefined : await findIntegration(knex, caller.integrationId);
    const limit = creator?.expires_at ?? null;
    if (limit !== null && expiresAt !== null && expiresAt > limit) {
      throw invalidRequest({ path: '/body/expires_at', message: `must not be after ${limit.toISOString()}` });
    }
    const credentials = makeCredentials();
    const request = { nodeId: node.id, name: body.name, permissions, expiresAt: expiresAt ?? limit };
    return perform(knex, act, async (trx) => {
      const row = await insertIntegration(trx, { ...request, createdBy: caller.integrationId }, credentials);
      const after = toIntegration(row);
      const change = { nodeId: node.id, resourceId: row.id, before: null, after };
      const created = { ...after, secret: credentials.secret };
      return { answer: { status: 201 as const, body: created }, change: { action: 'integration.created', ...change } };
    });
  };
  return { createIntegration };
};

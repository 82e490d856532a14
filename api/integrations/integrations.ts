import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { findLiveIntegration, listIntegrations } from '../../db/integrations/integrations.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { inheritedPermissions } from '../../domain/access.ts';
import { found, invalidRequest } from '../../domain/errors.ts';
import type { IntegrationGate } from '../auth/integration-gate.ts';
import { toDate } from '../request/formats.ts';
import type { Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';
import { createIntegration, revokeIntegration, rotateIntegration } from './changes.ts';
import { toIntegration } from './response.ts';

/** RFC 3339 writes years with four digits, and an offset may lead beyond. */
const LAST_TIMESTAMP_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** What the operations of integrations need. */
export interface IntegrationDeps {
  readonly knex: Knex;
  readonly gate: IntegrationGate;
  /** Milliseconds for which any process may remember that an integration is live. */
  readonly revocationDelayMs: number;
}

const chosenEnd = (text: string | null | undefined): Date | null => {
  const end = text == null ? null : toDate(text);
  if (end !== null && end.getTime() <= Date.now()) {
    throw invalidRequest({ path: '/body/expires_at', message: 'must be in the future' });
  }
  if (end !== null && end.getTime() > LAST_TIMESTAMP_MS) {
    throw invalidRequest({ path: '/body/expires_at', message: 'must be before the year 10000 in UTC' });
  }
  return end;
};

/** Integrations: create, list, get, rotate, revoke. */
export const createIntegrationHandlers = ({
  knex,
  gate,
  revocationDelayMs,
}: IntegrationDeps): Pick<
  Handlers,
  'createIntegration' | 'listIntegrations' | 'getIntegration' | 'rotateIntegration' | 'revokeIntegration'
> => ({
  createIntegration: async ({ body, ...actor }) =>
    createIntegration(knex, actor, {
      nodeId: body.node_id,
      name: body.name,
      // The caller's permissions are the token's: a token of a narrower scope grants no more than that.
      permissions: body.permissions ?? inheritedPermissions(actor.caller.permissions),
      expiresAt: chosenEnd(body.expires_at),
    }),

  listIntegrations: async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = found(await findNode(knex, caller.nodeId, query.node_id), 'node');
    const { include_descendants: includeDescendants, include_ended: includeEnded } = query;
    const page = await listIntegrations(knex, { nodeId: node.id, includeDescendants, includeEnded }, request);
    return { status: 200, body: pageBody(page, request, toIntegration) };
  },

  getIntegration: async ({ params, caller }) => {
    const integration = found(await findLiveIntegration(knex, caller.nodeId, params.id), 'integration');
    return { status: 200, body: toIntegration(integration) };
  },

  rotateIntegration: ({ params, body, ...actor }) =>
    rotateIntegration(knex, actor, params.id.toLowerCase(), body.overlap_seconds ?? 0),

  revokeIntegration: async ({ params, ...actor }) => {
    const id = params.id.toLowerCase();
    const answer = await revokeIntegration(knex, actor, id);
    gate.forget(id);
    // Each process may believe for this long what it read before the commit. When the client has its answer, all of them
    // have read again: no request that is sent after it, to whichever process, is let in. The answer may come late, the
    // check of every request may not cost a query. A timer may fire a millisecond early.
    if (revocationDelayMs > 0) await delay(revocationDelayMs + 1);
    return answer;
  },
});

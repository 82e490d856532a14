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

/** RFC 3339 has four-digit years, and an offset can lead beyond them. */
const LAST_TIMESTAMP_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export interface IntegrationDeps {
  readonly knex: Knex;
  readonly gate: IntegrationGate;
  /** Milliseconds for which any process may cache that an integration is live. */
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
      // The token's permissions count, so a token with a narrower scope grants no more than its scope.
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
    // Each process may use the state that it read before the commit for this long. Once the client has its answer,
    // every process has read again, so no later request of the integration gets in. A late answer is cheaper than a
    // query for every request. A timer may fire a millisecond early.
    if (revocationDelayMs > 0) await delay(revocationDelayMs + 1);
    return answer;
  },
});

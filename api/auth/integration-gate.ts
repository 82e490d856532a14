import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { integrationEnd } from '../../db/integrations/integrations.ts';

/** Knows whether an integration is live. Its token may have been issued before it was revoked. */
export interface IntegrationGate {
  isLive(integrationId: string): Promise<boolean>;
  /** Drops the cached state of an integration that was changed just now. */
  forget(integrationId: string): void;
}

export interface IntegrationGateDeps {
  readonly knex: Knex;
  /** Maximum age of a cached state, in milliseconds. */
  readonly maxAgeMs: number;
}

const MAX_REMEMBERED = 10_000;

/**
 * Reads an integration at most once per `maxAgeMs`, even with parallel requests. The age counts from before the read,
 * so that a request that comes `maxAgeMs` after the commit of a revocation never sees the earlier state.
 */
export const createIntegrationGate = ({ knex, maxAgeMs }: IntegrationGateDeps): IntegrationGate => {
  const remembered = new LRUCache<string, { readAt: number; end: Promise<Date | null | 'unknown'> }>({
    max: MAX_REMEMBERED,
  });
  return {
    isLive: async (integrationId) => {
      let entry = remembered.get(integrationId);
      // By the monotonic clock: ages must not depend on a wall clock that is adjusted.
      if (entry === undefined || performance.now() - entry.readAt >= maxAgeMs) {
        const read = { readAt: performance.now(), end: integrationEnd(knex, integrationId) };
        entry = read;
        remembered.set(integrationId, read);
        // A failed read fails only the requests that wait for it now.
        read.end.catch(() => {
          if (remembered.peek(integrationId) === read) remembered.delete(integrationId);
        });
      }
      const end = await entry.end;
      return end !== 'unknown' && (end === null || end.getTime() > Date.now());
    },
    forget: (integrationId) => void remembered.delete(integrationId),
  };
};

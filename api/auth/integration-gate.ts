import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { integrationEnd } from '../../db/integrations/integrations.ts';

/** Tells whether an integration still may act; its token may have been issued before it ended. */
export interface IntegrationGate {
  isLive(integrationId: string): Promise<boolean>;
  /** What is remembered of an integration counts no more, because it was changed just now. */
  forget(integrationId: string): void;
}

/** What the gate asks, and how long it remembers. */
export interface IntegrationGateDeps {
  readonly knex: Knex;
  /** Milliseconds an answer may be old. */
  readonly maxAgeMs: number;
  /** When the probe is simulated, in milliseconds since the epoch. */
  readonly now?: () => number;
  /** Milliseconds on a clock that is never set: an age must not depend on a wall clock that is put right. */
  readonly elapsed?: () => number;
}

const MAX_REMEMBERED = 10_000;

/**
 * Reads an integration at most once per `maxAgeMs`, however many of its requests are under way. The age counts from before
 * the read, so that a request that comes `maxAgeMs` after a revocation was committed never sees what was before.
 */
export const createIntegrationGate = ({
  knex,
  maxAgeMs,
  now = Date.now,
  elapsed = () => performance.now(),
}: IntegrationGateDeps): IntegrationGate => {
  const remembered = new LRUCache<string, { readAt: number; end: Promise<Date | null | 'unknown'> }>({
    max: MAX_REMEMBERED,
  });
  return {
    isLive: async (integrationId) => {
      let entry = remembered.get(integrationId);
      if (entry === undefined || elapsed() - entry.readAt >= maxAgeMs) {
        const read = { readAt: elapsed(), end: integrationEnd(knex, integrationId) };
        entry = read;
        remembered.set(integrationId, read);
        // A failed read is the answer only of those who wait for it now.
        read.end.catch(() => {
          if (remembered.peek(integrationId) === read) remembered.delete(integrationId);
        });
      }
      const end = await entry.end;
      return end !== 'unknown' && (end === null || end.getTime() > now());
    },
    forget: (integrationId) => void remembered.delete(integrationId),
  };
};

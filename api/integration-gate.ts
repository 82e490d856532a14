import type { Knex } from 'knex';
import { integrationEnd } from '../db/integrations.ts';

/** Tells whether an integration still may act, whatever its token says. */
export interface IntegrationGate {
  isLive(integrationId: string): Promise<boolean>;
}

export interface IntegrationGateDeps {
  readonly knex: Knex;
  /** Milliseconds an answer may be old. */
  readonly maxAgeMs: number;
  readonly now?: () => number;
}

const MAX_REMEMBERED = 10_000;

/** Reads an integration at most once per `maxAgeMs`, however many of its requests are under way. */
export const createIntegrationGate = ({ knex, maxAgeMs, now = Date.now }: IntegrationGateDeps): IntegrationGate => {
  const remembered = new Map<string, { readAt: number; end: Promise<Date | null | 'unknown'> }>();
  return {
    isLive: async (integrationId) => {
      let entry = remembered.get(integrationId);
      if (entry === undefined || now() - entry.readAt >= maxAgeMs) {
        entry = { readAt: now(), end: integrationEnd(knex, integrationId) };
        remembered.delete(integrationId);
        remembered.set(integrationId, entry);
        const [oldest] = remembered.keys();
        if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
        // A failed read is nobody's answer but of those who wait for it now.
        entry.end.catch(() => remembered.delete(integrationId));
      }
      const end = await entry.end;
      return end !== 'unknown' && (end === null || end.getTime() > now());
    },
  };
};

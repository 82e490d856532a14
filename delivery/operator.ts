import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryResult, OperatorDeliveryStore } from '../domain/ports/deliveries.ts';
import type { WebhookHosts } from '../domain/webhook.ts';
import { createEncryption } from '../encryption.ts';
import { createAgents } from './agent.ts';
import { attemptMs, createAttempt, type AttemptDeps } from './attempt.ts';
import { createBodies, type BodiesDeps } from './bodies.ts';

/** What sends to the operator in one process. */
export interface OperatorSenderDeps extends Pick<BodiesDeps, 'checksum' | 'log'>, Pick<AttemptDeps, 'profile'> {
  readonly store: OperatorDeliveryStore;
  readonly masterKey: Uint8Array;
  readonly webhookHosts: WebhookHosts;
}

/** Attempts of one process at once. */
const MAX_HELD = 8;
/** Between two looks, in milliseconds. */
export const OPERATOR_POLL_MS = 1_000;
/** Of a claim beyond the longest attempt, for the database, in milliseconds. */
const MARGIN_MS = 5_000;
/** For what is under way when the process stops, in milliseconds. What is not recorded by then is sent once more. */
const GRACE_MS = 3_000;

/** What could not be recorded because somebody else holds a row is tried once more, or due again after its claim. */
const recordAll = async (store: OperatorDeliveryStore, results: readonly DeliveryResult[]): Promise<void> => {
  if (results.length === 0) return;
  const { left } = await store.record(results);
  if (left.length > 0) await store.record(left);
};

/**
 * Brings the operator's webhook what is due, first attempts and retries, until it is stopped. It needs the database alone, so it
 * goes on without Temporal and without any other process; where there are several, each delivery is taken by one.
 */
export const startOperatorSender = (deps: OperatorSenderDeps): { stop(): Promise<void> } => {
  const { store, masterKey, webhookHosts: hosts, profile, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const agents = createAgents({ hosts });
  const bodies = createBodies(deps);
  const attempt = createAttempt({ agents, bodies, encryption: createEncryption(masterKey), profile });

  const look = async (): Promise<number> => {
    const due = await store.claim(MAX_HELD, attemptMs(profile) + MARGIN_MS);
    await recordAll(store, await Promise.all(due.map(attempt)));
    return due.length;
  };

  const send = async (): Promise<void> => {
    while (!signal.aborted) {
      const sent = await look().catch((error: unknown) => {
        // The message of a database error may hold values.
        log.warn('The operator could not be told', { error: (error as Error).name });
        return 0;
      });
      if (sent < MAX_HELD) await delay(OPERATOR_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const sending = send();

  return {
    stop: async () => {
      stopping.abort();
      await Promise.race([sending, delay(GRACE_MS, undefined, { ref: false })]);
      agents.close();
    },
  };
};

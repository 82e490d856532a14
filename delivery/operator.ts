import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryResult, OperatorDeliveryStore } from '../domain/ports/deliveries.ts';
import { errorName } from '../domain/tools/error-name.ts';
import { logOutcomes, startLoop } from '../domain/tools/repeat.ts';
import type { WebhookHosts } from '../domain/webhook.ts';
import { createEncryption } from '../runtime/encryption.ts';
import { createAgents } from './agent.ts';
import { attemptMs, createAttempt, UnsendableError, type Attempt, type AttemptDeps } from './attempt.ts';
import { createBodies, type BodiesDeps } from './bodies.ts';
import { HELD_MS } from './flight.ts';
import { tellOfReceivers } from './tell.ts';

export interface OperatorSenderDeps extends Pick<BodiesDeps, 'checksum' | 'log'>, Pick<AttemptDeps, 'profile'> {
  readonly store: OperatorDeliveryStore;
  readonly masterKey: Uint8Array;
  readonly webhookHosts: WebhookHosts;
}

/** Most concurrent attempts of one process. */
const MAX_HELD = 8;
/** Pause between two queries, in milliseconds. */
export const OPERATOR_POLL_MS = 1_000;
/** Time of a claim beyond the longest attempt, for the database, in milliseconds. */
const MARGIN_MS = 5_000;
/** Time for attempts in flight when the process stops, in milliseconds. Deliveries not recorded by then are sent again. */
const GRACE_MS = 3_000;

/** Most tries to record a result whose row is locked elsewhere. Such a lock lasts for one statement. */
const MAX_RECORDS = 20;

/** Records results for up to a second. The rest is due again after its claim. */
const recordAll = async (
  { store, log }: Pick<OperatorSenderDeps, 'store' | 'log'>,
  results: readonly DeliveryResult[],
): Promise<void> => {
  let left = results;
  for (let tries = 0; left.length > 0 && tries < MAX_RECORDS; tries += 1) {
    if (tries > 0) await delay(HELD_MS);
    const recorded = await store.record(left);
    tellOfReceivers(log, recorded);
    ({ left } = recorded);
  }
};

/** The results of all attempts, and the errors of those that could not be made. */
const outcomesOf = async (attempts: readonly ReturnType<Attempt>[]) => {
  const outcomes = await Promise.allSettled(attempts);
  return {
    results: outcomes.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : [])),
    errors: outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
  };
};

/**
 * Sends the due deliveries of the operator's webhook, first attempts and retries, until it is stopped. It needs only the
 * database, so it works without Temporal and without other processes. Of several processes, one claims each delivery.
 */
export const startOperatorSender = (deps: OperatorSenderDeps): { stop(): Promise<void> } => {
  const { store, masterKey, webhookHosts: hosts, profile, log } = deps;
  const agents = createAgents({ hosts });
  const bodies = createBodies(deps);
  const attempt = createAttempt({
    agents,
    bodies,
    encryption: createEncryption(masterKey),
    profile,
    // Claimed deliveries are sent at once.
    renew: (due) => Promise.resolve(due),
  });

  const look = async (): Promise<number | void> => {
    const due = await store.claim(MAX_HELD, attemptMs(profile) + MARGIN_MS);
    const { results, errors } = await outcomesOf(due.map(attempt));
    await recordAll(deps, results);
    for (const error of errors) {
      if (!(error instanceof UnsendableError)) throw error;
      // It is due again after its claim.
      log.error('An event for the operator cannot be sent; it is put off', { error: errorName(error) });
    }
    // More may be due.
    if (due.length === MAX_HELD) return 0;
  };

  const words = {
    works: 'The operator webhook sender works again',
    fails: 'The operator webhook sender failed; retrying',
  };
  const sending = startLoop(look, { everyMs: OPERATOR_POLL_MS, ...logOutcomes(log, words) });

  return {
    stop: async () => {
      await Promise.race([sending.stop(), delay(GRACE_MS, undefined, { ref: false })]);
      agents.close();
    },
  };
};

import knexFactory, { type Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { transition } from '../../db/payments/transition.ts';
import { createDeliveryStore } from '../../db/webhooks/delivery-store.ts';
import { createAgents } from '../../delivery/agent.ts';
import { createAttempt, createRenew } from '../../delivery/attempt.ts';
import { createBodies } from '../../delivery/bodies.ts';
import { createRetries } from '../../delivery/retries.ts';
import { createSender } from '../../delivery/sender.ts';
import type { TransitionName } from '../../domain/payment.ts';
import type { DeliveryTry } from '../../domain/ports/deliveries.ts';
import { createTestDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { testEncryption } from './webhooks.ts';

/** A row of `webhook_deliveries`. */
export interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly due_at: Date;
  readonly tries: readonly DeliveryTry[];
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A run ends by itself only where a test hangs. */
const RUN_MS = 600_000;

/** A worker's sender, over the rows that tests make. */
const createDelivering = (knex: Knex, profile: 'production' | 'test' = 'test') => {
  const agents = createAgents({ hosts: 'loopback' });
  const store = createDeliveryStore(knex);
  const bodies = createBodies({ store, checksum, log: quiet });
  const deps = () => ({
    store,
    underWay: new Set<string>(),
    log: quiet,
    tidyMs: 100,
    attempt: createAttempt({ agents, bodies, renew: createRenew(store), encryption: testEncryption, profile }),
  });
  const run = (signal: AbortSignal, ms: number) => ({
    signal,
    heartbeat: () => {},
    deadlineMs: performance.now() + ms,
  });
  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, 20));
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  return {
    store,
    /** Runs a sender until the condition holds. */
    sendUntil: async (done: () => unknown): Promise<void> => {
      const stop = new AbortController();
      const running = createSender(deps())({ ...run(stop.signal, RUN_MS), notified: { wait } });
      try {
        await eventually(async () => Boolean(await done()));
      } finally {
        stop.abort();
        await running;
      }
    },
    /** Runs the retries of a configuration until nothing is due; answers when there will be something. */
    retry: (webhookId: string): Promise<number | null> =>
      createRetries(deps())(webhookId, run(new AbortController().signal, RUN_MS)),
    /** Runs the retries of many configurations in one process. */
    retryAll: (webhookIds: readonly string[]): Promise<unknown> => {
      const retries = createRetries(deps());
      return Promise.all(webhookIds.map((id) => retries(id, run(new AbortController().signal, RUN_MS))));
    },
    /** Runs them for a minute, as one of a crowd. */
    retryCrowded: (webhookId: string): Promise<number | null> =>
      createRetries(deps(), 0)(webhookId, run(new AbortController().signal, 60_000)),
    rows: (webhookId: string): Promise<DeliveryRow[]> =>
      knex('webhook_deliveries').where({ webhook_id: webhookId }).orderBy('id'),
    states: async (webhookId: string): Promise<string[]> =>
      knex('webhook_deliveries').where({ webhook_id: webhookId }).orderBy('id').pluck('state'),
    webhook: (id: string) => knex('webhook_configurations').where({ id }).first(),
    close: () => agents.close(),
  };
};

/**
 * A separate database with a sender; both end with the test file.
 * @param profile whose pauses there are between attempts
 */
export const startDelivering = async (profile?: 'production' | 'test') => {
  const knex = knexFactory({ client: 'pg', connection: (await createTestDatabase()).url });
  const delivering = createDelivering(knex, profile);
  afterAll(async () => {
    delivering.close();
    await knex.destroy();
  });
  return { knex, delivering };
};

/** Moves a payment, as its own part of the product would. */
export const move = (knex: Knex, paymentId: string, name: TransitionName = 'payment_expired'): Promise<string[]> =>
  knex.transaction((trx) =>
    transition(trx, { name, where: 'p.id = :id', bindings: { id: paymentId }, actor: { type: 'chain' } }),
  );

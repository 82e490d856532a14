import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { createDeliveryStore } from '../../db/webhooks/delivery-store.ts';
import { createAgents } from '../../delivery/agent.ts';
import { createAttempt, createRenew } from '../../delivery/attempt.ts';
import { createBodies } from '../../delivery/bodies.ts';
import { createSender } from '../../delivery/sender.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createEncryption } from '../../runtime/encryption.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A sender of first attempts to this machine, as a worker runs it. */
export const startSender = (knex: Knex, masterKey: Uint8Array, log: Log = quiet) => {
  const agents = createAgents({ hosts: 'loopback' });
  const stop = new AbortController();
  const store = createDeliveryStore(knex);
  const bodies = createBodies({ store, checksum, log: quiet });
  const running = createSender({
    store,
    attempt: createAttempt({
      agents,
      bodies,
      renew: createRenew(store),
      encryption: createEncryption(masterKey),
      profile: 'test',
    }),
    underWay: new Set<string>(),
    log,
    tidyMs: 100,
  })({
    signal: stop.signal,
    heartbeat: () => {},
    deadlineMs: performance.now() + 600_000,
    notified: { wait: () => new Promise((resolve) => setTimeout(resolve, 20)) },
  });
  return {
    stop: async () => {
      stop.abort();
      await running;
      agents.close();
    },
  };
};

import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { createDeliveryStore } from '../../db/webhooks/delivery-store.ts';
import { createRenew } from '../../delivery/attempt.ts';
import { createSender } from '../../delivery/sender.ts';
import { createSending } from '../../delivery/sending.ts';
import type { Log } from '../../domain/ports/log.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A sender of first attempts to this machine, as a worker runs it. */
export const startSender = (knex: Knex, masterKey: Uint8Array, log: Log = quiet) => {
  const stop = new AbortController();
  const store = createDeliveryStore(knex);
  const sending = createSending({
    store,
    checksum,
    renew: createRenew(store),
    masterKey,
    webhookHosts: 'loopback',
    profile: 'test',
    log,
  });
  const running = createSender({ ...sending, store, tidyMs: 100 })({
    signal: stop.signal,
    heartbeat: () => {},
    deadlineMs: performance.now() + 600_000,
    notified: { wait: () => new Promise((resolve) => setTimeout(resolve, 20)) },
  });
  return {
    stop: async () => {
      stop.abort();
      await running;
      sending.close();
    },
  };
};

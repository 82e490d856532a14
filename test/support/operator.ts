import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { createOperatorDeliveryStore, keepOperatorWebhook } from '../../db/webhooks/operator.ts';
import { startOperatorSender, storeOperatorWebhook } from '../../delivery/operator.ts';
import type { Log } from '../../domain/ports/log.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const masterKey = new Uint8Array(32).fill(7);

/** Stores the operator's webhook, as a worker does when it starts. */
export const storeOperator = (knex: Knex, alertWebhook: string, alertWebhookSecret: string): Promise<void> =>
  storeOperatorWebhook({
    keep: (wanted) => keepOperatorWebhook(knex, wanted),
    masterKey,
    webhookHosts: 'loopback',
    alertWebhook,
    alertWebhookSecret,
  });

/** Sends to it, as each process does. */
export const sendToOperator = (knex: Knex, log: Log = quiet) =>
  startOperatorSender({
    store: createOperatorDeliveryStore(knex),
    masterKey,
    webhookHosts: 'loopback',
    profile: 'test',
    checksum,
    log,
  });

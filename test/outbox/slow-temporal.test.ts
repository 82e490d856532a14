import type { Client } from '@temporalio/client';
import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { createOutboxStore } from '../../db/outbox/outbox.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import { createDispatcher, type Dispatcher } from '../../outbox/dispatcher.ts';
import { askTemporal, createTemporalClient, TEMPORAL_MS } from '../../outbox/temporal-client.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { startSlowProxy, type SlowProxy } from '../support/slow-proxy.ts';
import { testTemporal } from '../support/temporal.ts';
import { silent } from '../support/workflow-worker.ts';

let knex: Knex;
let world: World;
let proxy: SlowProxy;
let client: Client;
let dispatcher: Dispatcher;

beforeAll(async () => {
  const { address, namespace, taskQueue } = testTemporal();
  knex = connect((await createTestDatabase()).url, { pool: 5 });
  world = await createWorld(knex);
  proxy = await startSlowProxy(Number(address.split(':').at(-1)));
  client = createTemporalClient({ address: proxy.address, namespace });
  // As in production: without a `deadlineMs` of the test's own.
  dispatcher = createDispatcher({ outbox: createOutboxStore(knex), client, taskQueue, profile: 'test', log: silent });
  dispatcher.start();
});

afterAll(async () => {
  proxy.delay(0);
  await dispatcher.stop();
  await client.connection.close();
  await proxy.close();
  await knex.destroy();
});

/** Temporal answers each call after a good second: far away, or its database is busy. To `/status` and the alerts it answers. */
it('payments are started while each call to Temporal takes a good second', async () => {
  await eventually(() => askTemporal(client, 5_000).then(() => true), 30_000);
  proxy.delay(600);
  await eventually(() => askTemporal(client, TEMPORAL_MS).then(() => true), 30_000);
  await createPaymentRow(knex, world);
  dispatcher.now(startGroup(world.networkId, 'web3'));
  await eventually(async () => (await knex('outbox').whereNull('delivered_at')).length === 0, 30_000);
});

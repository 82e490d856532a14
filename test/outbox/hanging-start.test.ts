import { Client } from '@temporalio/client';
import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { createOutboxStore } from '../../db/outbox/outbox.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import { createDispatcher } from '../../outbox/dispatcher.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld } from '../support/fixtures.ts';
import { testTemporal } from '../support/temporal.ts';
import { silent } from '../support/workflow-worker.ts';

const { address, namespace, taskQueue } = testTemporal();
let knex: Knex;
let client: Client;

beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 5 });
  client = createTemporalClient({ address, namespace });
});
afterAll(async () => {
  await client.connection.close();
  await knex.destroy();
});

/**
 * One shard of Temporal's history has no owner for a minute, because its host was replaced: calls about its workflows wait until their
 * deadline. Temporal responds to everything else. The start of one payment is such a call; the next payment of the network is not.
 */
it('payments are started while the start of an earlier one of their network hangs again', async () => {
  const world = await createWorld(knex);
  const group = startGroup(world.networkId, 'web3');
  let [hanging, calls, isHanging, isBeside] = ['', 0, false, false];
  const troubled = new Client({
    connection: client.connection,
    namespace,
    interceptors: {
      workflow: [
        {
          start: async (input, next) => {
            if (input.options.workflowId !== hanging) {
              isBeside ||= isHanging;
              return next(input);
            }
            calls += 1;
            isHanging = true;
            const ask = { namespace, taskQueue: { name: 'nobody' }, identity: 'nobody' };
            try {
              // Until the deadline of the call.
              for (;;) await client.workflowService.pollWorkflowTaskQueue(ask);
            } finally {
              isHanging = false;
            }
          },
        },
      ],
    },
  });
  const first = await createPaymentRow(knex, world);
  hanging = `payment/${first.id}`;
  const own = createDispatcher({
    outbox: createOutboxStore(knex),
    client: troubled,
    taskQueue,
    profile: 'test',
    log: silent,
  });
  own.start();
  try {
    own.now(group);
    await eventually(() => calls === 2 && isHanging, 30_000);
    await createPaymentRow(knex, world);
    own.now(group);
    await eventually(() => isBeside, 15_000);
  } finally {
    hanging = '';
    await own.stop();
  }
});

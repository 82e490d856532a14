import { checksum } from '../../chain/pure/address.ts';
import { createDeliveryStore } from '../../db/webhooks/delivery-store.ts';
import { createAgents } from '../../delivery/agent.ts';
import { createAttempt, createRenew } from '../../delivery/attempt.ts';
import { createBodies } from '../../delivery/bodies.ts';
import { createRetries } from '../../delivery/retries.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { createPaymentRow, createWorld } from '../support/fixtures.ts';
import { startReceiver } from '../support/receiver.ts';
import { createWebhookRow, testEncryption } from '../support/webhooks.ts';
import { silent } from '../support/workflow-worker.ts';

const { knex, delivering } = await startDelivering('production');
const agents = createAgents({ hosts: 'loopback' });
afterAll(() => agents.close());

/**
 * The database only reads for some minutes: its disk is full, or a standby has not taken over yet. Due retries are sent, their results
 * cannot be stored, the activity fails, and Temporal runs it again after 0.2 to 10 s.
 */
it('a retry whose result cannot be stored is not sent again by the same process at every run', async () => {
  const world = await createWorld(knex);
  const receiver = await startReceiver({ answer: (_request, response) => response.writeHead(503).end() });
  const webhookId = await createWebhookRow(knex, world, receiver.origin);
  await move(knex, (await createPaymentRow(knex, world)).id);
  await delivering.sendUntil(async () => (await delivering.rows(webhookId)).some(({ attempts }) => attempts > 0));
  await knex('webhook_deliveries').where({ webhook_id: webhookId }).update({ due_at: new Date() });

  const store = createDeliveryStore(knex);
  const bodies = createBodies({ store, checksum, log: silent });
  const retries = createRetries({
    store,
    underWay: new Set<string>(),
    log: silent,
    attempt: createAttempt({
      agents,
      bodies,
      renew: createRenew(store),
      encryption: testEncryption,
      profile: 'production',
    }),
  });
  const run = (): Promise<string> =>
    retries(webhookId, {
      signal: new AbortController().signal,
      heartbeat: () => {},
      deadlineMs: performance.now() + 60_000,
    }).then(
      () => 'worked',
      () => 'failed',
    );

  await knex.raw(`CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
  await knex.raw(
    'CREATE TRIGGER disk_full BEFORE UPDATE ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION disk_is_full()',
  );
  try {
    // The receiver works again, and takes it.
    receiver.answer((_request, response) => response.writeHead(204).end());
    const before = receiver.received.length;
    const runs = [];
    for (let count = 0; count < 6; count += 1) runs.push(await run());
    expect({ runs: new Set(runs), sent: receiver.received.length - before }).toEqual({
      runs: new Set(['failed']),
      sent: 0,
    });
  } finally {
    await knex.raw('DROP TRIGGER disk_full ON webhook_deliveries');
    await receiver.close();
  }
});

import { move, startDelivering } from '../support/deliveries.ts';
import { createPaymentRow, createWorld } from '../support/fixtures.ts';
import { startReceiver } from '../support/receiver.ts';
import { createWebhookRow } from '../support/webhooks.ts';

const { knex, delivering } = await startDelivering();

it('while many receivers hang, a run of retries takes two sets of deliveries at most, so that others get its slot', async () => {
  const world = await createWorld(knex);
  const receiver = await startReceiver({ answer: () => {} });
  try {
    const webhookId = await createWebhookRow(knex, world, receiver.origin);
    for (let made = 0; made < 12; made += 1) await move(knex, (await createPaymentRow(knex, world)).id);
    await knex('webhook_configurations').update({ failing_since: new Date() });
    await delivering.retryCrowded(webhookId);
    const rows = await delivering.rows(webhookId);
    expect(rows.length).toBeGreaterThanOrEqual(12);
    const tried = rows.filter(({ attempts }) => attempts > 0);
    expect(tried.length).toBeGreaterThan(0);
    expect(tried.length).toBeLessThanOrEqual(8);
  } finally {
    await receiver.close();
  }
});

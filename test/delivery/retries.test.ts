import { raiseOfWebhooks } from '../../db/alerts/over.ts';
import { closePending, redeliver, replay } from '../../db/webhooks/deliveries.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { ok, startReceiver, type Answers, type Receiver } from '../support/receiver.ts';
import { createWebhookRow } from '../support/webhooks.ts';

// With the pauses of production, for which no test waits.
const { knex, delivering } = await startDelivering('production');
let world: World;
let receiver: Receiver;
let webhookId: string;

const no: Answers = (_request, response) => response.writeHead(503).end('later');

beforeEach(async () => {
  world = await createWorld(knex);
  receiver = await startReceiver({ answer: no });
  webhookId = await createWebhookRow(knex, world, receiver.origin);
});

afterEach(() => receiver.close());

const events = async (count = 1): Promise<void> => {
  for (let made = 0; made < count; made += 1) await move(knex, (await createPaymentRow(knex, world)).id);
};
const attempted = (count: number) => async () =>
  (await delivering.rows(webhookId)).filter(({ attempts }) => attempts > 0).length === count;
const makeDue = () => knex('webhook_deliveries').where({ webhook_id: webhookId }).update({ due_at: new Date() });
const failingSince = async (): Promise<Date | null> => (await delivering.webhook(webhookId)).failing_since;

it('a failing event keeps the schedule, has the same id and body each time, and ends', async () => {
  await events();
  await delivering.sendUntil(attempted(1));
  const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [index, pause] of seconds.entries()) {
    const [row] = await delivering.rows(webhookId);
    expect(row).toMatchObject({ state: 'pending', attempts: index + 1 });
    const after = (row!.due_at.getTime() - Date.parse(row!.tries.at(-1)!.at)) / 1_000;
    expect(after).toBeGreaterThanOrEqual(pause);
    expect((row!.due_at.getTime() - Date.now()) / 1_000).toBeLessThan(pause * 1.2 + 1);
    await makeDue();
    const next = await delivering.retry(webhookId);
    if (index < seconds.length - 1) expect(next).toBeGreaterThan(200_000);
    else expect(next).toBeNull();
  }
  const [row] = await delivering.rows(webhookId);
  expect(row).toMatchObject({ state: 'failed', attempts: 10 });
  expect(row!.tries.map(({ status, body }) => [status, body])).toEqual(Array(10).fill([503, 'later']));
  expect(receiver.received).toHaveLength(10);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([row!.event_id]));
});

it.each([8, 9])(
  'an event requested again after %d attempts, with one in flight, has its whole schedule before it',
  async (attempts) => {
    await events();
    const [{ id } = { id: '' }] = await delivering.rows(webhookId);
    await knex('webhook_deliveries').where({ id }).update({ attempts });
    await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: new Date() });
    receiver.answer((_request, response) => {
      const again = knex.transaction((trx) => redeliver(trx, webhookId, id));
      void again.then(() => {
        receiver.answer(ok);
        response.writeHead(500).end();
      });
    });
    await delivering.retry(webhookId);
    const [row] = await delivering.rows(webhookId);
    expect([row!.state, row!.attempts, row!.tries.map(({ status }) => status)]).toEqual(['delivered', 1, [500, 204]]);
  },
);

it('a receiver may ask for more time', async () => {
  receiver.answer((_request, response) => response.writeHead(429, { 'retry-after': '1000' }).end());
  await events();
  await delivering.sendUntil(attempted(1));
  const [row] = await delivering.rows(webhookId);
  expect(row!.due_at.getTime() - Date.parse(row!.tries[0]!.at)).toBeGreaterThanOrEqual(1_000_000);
  expect(row!.due_at.getTime() - Date.now()).toBeLessThanOrEqual(1_000_000);
});

it('first attempts of a failing webhook are left to its retries until one success', async () => {
  await events();
  await delivering.sendUntil(attempted(1));
  const since = await failingSince();
  expect(since).toEqual(expect.any(Date));
  await events(2);
  await delivering.sendUntil(() =>
    knex('outbox')
      .where({ workflow_id: `webhooks/${webhookId}`, is_renewed: true })
      .first(),
  );
  expect(await knex('outbox').where({ workflow_id: `webhooks/${webhookId}` })).toHaveLength(1);
  expect(receiver.received).toHaveLength(1);
  await delivering.retry(webhookId);
  expect(await attempted(3)()).toBe(true);
  expect(await failingSince()).toEqual(since);

  receiver.answer(ok);
  await makeDue();
  expect(await delivering.retry(webhookId)).toBeNull();
  expect(await delivering.states(webhookId)).toEqual(Array(3).fill('delivered'));
  expect(await failingSince()).toBeNull();
  await events();
  await delivering.sendUntil(
    async () => (await delivering.states(webhookId)).join() === Array(4).fill('delivered').join(),
  );
});

/** Runs the retries. Returns the average and the least milliseconds between two queries for due deliveries of a webhook. */
const measurePace = async (webhookIds = [webhookId]): Promise<{ average: number; least: number }> => {
  const looks: number[] = [];
  const note = ({ sql }: { sql: string }): void => {
    if (sql.includes('statement_timestamp()') && sql.includes('LIMIT')) looks.push(performance.now());
  };
  knex.on('query', note);
  await delivering.retryAll(webhookIds);
  knex.off('query', note);
  const rounds = looks.length / webhookIds.length;
  expect(rounds).toBeGreaterThanOrEqual(3);
  const gaps = looks.slice(1).map((look, index) => look - looks[index]!);
  return { average: (looks.at(-1)! - looks[0]!) / (rounds - 1), least: Math.min(...gaps) };
};

it('a receiver that fails at once is asked no faster than a pace', async () => {
  await events(24);
  await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: new Date() });
  expect((await measurePace()).average).toBeGreaterThan(900);
  expect(await attempted(24)()).toBe(true);
});

it('a receiver that accepts some deliveries is asked again sooner', async () => {
  await events(24);
  await knex('webhook_deliveries').where({ webhook_id: webhookId }).update({ attempts: 1 });
  receiver.answer((_request, response) => response.writeHead(receiver.received.length % 4 === 1 ? 404 : 204).end());
  // No pause of a receiver that fails is shorter than a second; a busy machine makes some of these longer than they should be.
  expect((await measurePace()).least).toBeLessThan(900);
  expect(receiver.received).toHaveLength(24);
});

it('many receivers of one node that accept some deliveries share the pace of one', async () => {
  const hosts = Array.from({ length: 8 }, (_, index) =>
    receiver.origin.replace('127.0.0.1', `shop-${index}.localhost`),
  );
  const ids = await Promise.all(hosts.map((host) => createWebhookRow(knex, world, host, { failingSince: new Date() })));
  await events(20);
  await knex('webhook_deliveries').whereIn('webhook_id', ids).update({ attempts: 1 });
  const asked = new Map<string, number>();
  receiver.answer(({ headers: { host = '' } }, response) => {
    const count = (asked.get(host) ?? 0) + 1;
    asked.set(host, count);
    response.writeHead(count % 4 === 1 ? 204 : 404).end();
  });
  expect((await measurePace(ids)).average).toBeGreaterThan(900);
  expect([...asked.values()]).toEqual(Array(8).fill(20));
});

it('410 disables the webhook and skips its pending events, which can all be sent again', async () => {
  await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: new Date() });
  await events(8);
  receiver.answer((_request, response) => response.writeHead(410).end());
  await delivering.retry(webhookId);
  expect(await delivering.webhook(webhookId)).toMatchObject({ is_active: false, disabled_reason: 'gone' });
  expect(await delivering.states(webhookId)).toEqual(Array(8).fill('skipped'));
  // Events of the time while it is disabled are kept as well.
  await events();
  expect(await delivering.states(webhookId)).toEqual(Array(9).fill('skipped'));
  const asked = receiver.received.length;
  expect(asked).toBeLessThanOrEqual(4);

  receiver.answer(ok);
  const resume = { is_active: true, disabled_reason: null, failing_since: null };
  await knex('webhook_configurations').where({ id: webhookId }).update(resume);
  const time = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
  expect(await knex.transaction((trx) => replay(trx, { webhookId, ...time, includeDelivered: false }))).toBe(9);
  await delivering.sendUntil(async () => (await delivering.states(webhookId)).every((state) => state === 'delivered'));
  expect(receiver.received).toHaveLength(asked + 9);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(9);
});

it.each(['host', 'error_path'])(
  '410 from an address that the webhook has left by its %s disables nothing',
  async (field) => {
    await events();
    const other = await startReceiver();
    const left = { host: other.origin, error_path: '/other' }[field];
    receiver.answer((_request, response) => {
      receiver.answer(ok);
      const moved = knex('webhook_configurations')
        .where({ id: webhookId })
        .update({ [field]: left });
      void moved.then(() => response.writeHead(410).end());
    });
    await delivering.sendUntil(attempted(1));
    expect(await delivering.webhook(webhookId)).toMatchObject({ is_active: true, disabled_reason: null });
    expect(await knex('outbox').where({ workflow_id: `webhooks/${webhookId}` })).toHaveLength(1);
    await makeDue();
    expect(await delivering.retry(webhookId)).toBeNull();
    expect(await delivering.states(webhookId)).toEqual(['delivered']);
    const paths = [receiver, other].map(({ received }) => received.map(({ path }) => path));
    expect(paths).toEqual(field === 'host' ? [['/unpaid'], ['/unpaid']] : [['/unpaid', '/other'], []]);
    await other.close();
  },
);

it('five days of failures alone disable a webhook', async () => {
  const days = (count: number) => new Date(Date.now() - count * 86_400_000);
  await events(2);
  await delivering.sendUntil(attempted(2));
  const fail = async (since: Date): Promise<boolean> => {
    await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: since });
    await makeDue();
    await delivering.retry(webhookId);
    return (await delivering.webhook(webhookId)).is_active;
  };
  expect(await fail(days(4.9))).toBe(true);
  expect(await fail(days(5.1))).toBe(false);
  expect(await delivering.webhook(webhookId)).toMatchObject({ disabled_reason: 'failing' });
  expect(await delivering.states(webhookId)).toEqual(['skipped', 'skipped']);
  // The writer of the log decides that as well.
  const told = (await raiseOfWebhooks(knex)).filter(({ message }) => message.includes('for five days'));
  expect(told.map(({ kind }) => kind)).toEqual(['webhook_disabled']);
});

it('retries go out four at a time, however many wait', async () => {
  let [now, most] = [0, 0];
  receiver.answer((_request, response) => {
    now += 1;
    most = Math.max(most, now);
    setTimeout(() => {
      now -= 1;
      response.writeHead(500).end();
    }, 20);
  });
  await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: new Date() });
  await events(20);
  await delivering.retry(webhookId);
  expect(await attempted(20)()).toBe(true);
  expect(most).toBe(4);
});

it('a backlog of days is skipped in parts that a statement can bear, and none of it is sent', async () => {
  await knex('webhook_configurations').where({ id: webhookId }).update({ is_active: false });
  await knex.raw(
    'INSERT INTO webhook_deliveries (webhook_id, event_id) SELECT ?, uuidv7() FROM generate_series(1, 25000)',
    [webhookId],
  );
  const pending = async () => (await delivering.states(webhookId)).filter((state) => state === 'pending').length;
  await knex.transaction((trx) => closePending(trx, webhookId, 'skipped'));
  expect(await pending()).toBe(15_000);
  await delivering.sendUntil(async () => (await pending()) === 0);
  expect(receiver.received).toEqual([]);
});

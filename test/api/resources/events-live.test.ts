import { randomUUID } from 'node:crypto';
import { createWidgetTokens } from '../../../api/auth/widget-tokens.ts';
import { note, transition } from '../../../db/payments/transition.ts';
import type { TransitionName } from '../../../domain/payment.ts';
import { onMeasure } from '../../../runtime/measures.ts';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { startApi, type ApiUnderTest } from '../support/api-under-test.ts';
import { openPage } from '../support/events.ts';

const proxy = await createTcpProxy();
afterAll(() => proxy.close());
const api = await startApi({ through: proxy.through, streamLimits: { ofProcess: 8, ofAddress: 6 } });

interface Payment {
  readonly id: string;
  readonly access_token: string;
}

/** A merchant of an api. */
const shopOf = async (of: ApiUnderTest) => {
  const shop = await of.actor('shop');
  const wallet = await of.wallet(shop);
  await of.activate(wallet, 'A');
  return async (change: Record<string, unknown> = {}): Promise<Payment> => {
    const json = of.paymentBody({ wallet_id: wallet.id, ...change });
    return (await of.call('POST', '/api/v1/payments', { token: shop.token, json })).body as Payment;
  };
};
const create = await shopOf(api);
const networkId = api.ids.networks.A!;

const move = (id: string, name: TransitionName, set?: string): Promise<string[]> =>
  transition(api.knex, {
    name,
    where: 'p.id = :id',
    bindings: { id },
    actor: { type: 'chain' },
    ...(set === undefined ? {} : { set }),
  });
const paid = `paid_tx_hash = '${hex(32)}', paid_block_number = 10, paid_block_hash = '${hex(32)}', paid_at = now(),
  payer_address = '${hex(20)}'`;
const unpaid =
  'paid_tx_hash = NULL, paid_block_number = NULL, paid_block_hash = NULL, paid_at = NULL, payer_address = NULL';

/** A block of the network, as the watcher stores it. */
const mine = (number: number): Promise<unknown> =>
  api.knex.transaction(async (trx) => {
    await trx('watch_cursors')
      .insert({ network_id: networkId, number, hash: hex(32) })
      .onConflict('network_id')
      .merge();
    await trx.raw("SELECT pg_notify('carat_block', ?)", [networkId]);
  });

describe('GET /api/v1/widget/payments/{id}/events as a stream', () => {
  it('sends the state at once, each change, each confirmation, and each step back', async () => {
    const payment = await create();
    const page = await openPage(api.url, payment);
    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    expect(page.headers).toMatchObject({ 'x-accel-buffering': 'no', 'access-control-allow-origin': '*' });
    expect(page.headers['content-encoding']).toBeUndefined();
    expect(await page.until({ status: 'pending' })).toMatchObject({ id: payment.id, payable: false });
    await mine(9);
    await move(payment.id, 'deal_confirmed', 'deal_block_number = 5');
    await page.until({ status: 'awaiting_payment', payable: true });
    await mine(10);
    await move(payment.id, 'payment_detected', paid);
    await page.until({ status: 'processing', confirmations: { needed: 3, seen: 1 } });
    await mine(11);
    await page.until({ confirmations: { needed: 3, seen: 2 } });
    await move(payment.id, 'payment_reorged', unpaid);
    await eventually(() => page.states.at(-1)?.status === 'awaiting_payment');
    expect(page.states.at(-1)).toMatchObject({ payable: true, transaction_hash: null, payer: null });
    await move(payment.id, 'payment_detected', paid);
    await mine(12);
    await page.until({ status: 'processing', confirmations: { needed: 3, seen: 3 } });
    await move(payment.id, 'payment_confirmed');
    await page.until({ status: 'completed', confirmations: { needed: 3, seen: 3 } });
    expect(page.isOver()).toBe(false);
    page.close();
  });

  it('sends the waiting reason of a payment, the loss of its deal, and findings after its end', async () => {
    const payment = await create();
    const page = await openPage(api.url, payment);
    const set = (change: object) => api.knex('payments').where({ id: payment.id }).update(change);
    await set({ status_detail: 'network_unreachable' });
    await page.until({ status_detail: 'network_unreachable' });
    await set({ status_detail: null });
    await move(payment.id, 'deal_confirmed', 'deal_block_number = 5');
    await page.until({ payable: true });
    await set({ deal_block_number: null, deal_tx_hash: null });
    await eventually(() => page.states.at(-1)?.payable === false);
    await set({ deal_block_number: 6 });
    await eventually(() => page.states.at(-1)?.payable === true);
    await move(payment.id, 'payment_expired');
    await page.until({ status: 'expired' });
    await api.knex.transaction(async (trx) => {
      await trx.raw(`UPDATE payments SET ${paid} WHERE id = ?`, [payment.id]);
      await note(trx, { name: 'payment_anomaly', paymentId: payment.id, data: {} });
    });
    await eventually(() => page.states.at(-1)?.transaction_hash !== null);
    page.close();
  });

  it('reads the states of all pages by one query, and none for payments without a page', async () => {
    const payments = [await create(), await create(), await create()];
    const pages = await Promise.all(payments.map((payment) => openPage(api.url, payment)));
    const other = await create();
    await Promise.all(pages.map((page) => page.until({ status: 'pending' })));
    let queries = 0;
    const count = ({ text }: { text?: string }): void => {
      if (/FROM payments p JOIN nodes/.test(text ?? '')) queries += 1;
    };
    const spied = api.knex.client as { acquireConnection: () => Promise<{ query: (...args: unknown[]) => unknown }> };
    const { acquireConnection } = spied;
    spied.acquireConnection = async function () {
      const connection = await acquireConnection.call(this);
      if (!Object.hasOwn(connection, 'query')) {
        const query = connection.query.bind(connection);
        connection.query = (...args) => {
          count(args[0] as object);
          return query(...args);
        };
      }
      return connection;
    };
    const ids = payments.map(({ id }) => id);
    const all = { where: 'p.id = ANY(:ids)', bindings: { ids: [...ids, other.id] }, actor: { type: 'chain' } } as const;
    await transition(api.knex, { name: 'deal_confirmed', ...all, set: 'deal_block_number = 5' });
    await Promise.all(pages.map((page) => page.until({ status: 'awaiting_payment' })));
    expect(queries).toBe(1);
    await mine(20);
    await transition(api.knex, { name: 'payment_detected', ...all, set: paid.replace('= 10', '= 20') });
    await Promise.all(pages.map((page) => page.until({ confirmations: { needed: 3, seen: 1 } })));
    expect(queries).toBe(2);
    await mine(21);
    await Promise.all(pages.map((page) => page.until({ confirmations: { needed: 3, seen: 2 } })));
    expect(queries).toBe(3);
    await move(other.id, 'payment_confirmed');
    await move(ids[0]!, 'payment_confirmed');
    await pages[0]!.until({ status: 'completed' });
    expect(queries).toBe(4);
    spied.acquireConnection = acquireConnection;
    pages.forEach((page) => page.close());
  });

  it('goes on once the notifications and queries of its database work again', async () => {
    const [one, two] = [await create(), await create()];
    const pages = [await openPage(api.url, one), await openPage(api.url, two)];
    await Promise.all(pages.map((page) => page.until({ status: 'pending' })));
    await api.knex.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'carat-notifications'`,
    );
    await move(one.id, 'deal_confirmed', 'deal_block_number = 5');
    await pages[0]!.until({ status: 'awaiting_payment' });
    proxy.cut();
    const refused = await openPage(api.url, two);
    expect(refused.status).toBe(503);
    proxy.mend();
    await eventually(() => move(two.id, 'deal_confirmed', 'deal_block_number = 5').then(({ length }) => length > 0));
    await pages[1]!.until({ status: 'awaiting_payment' });
    expect(pages.some((page) => page.isOver())).toBe(false);
    pages.forEach((page) => page.close());
  });

  it('ends with the token: with its key, and a day after the payment', async () => {
    const payment = await create();
    const known = api.keyRing.widget()[0]!;
    expect(createWidgetTokens(api.keyRing).isAlive(payment.access_token)).toBe(true);
    const other = await create();
    const [page, old] = [await openPage(api.url, payment), await openPage(api.url, other)];
    await page.until({ status: 'pending' });
    await api
      .knex('payments')
      .where({ id: other.id })
      .update({
        status: 'canceled',
        terminal_at: new Date(Date.now() - 24 * 3_600_000),
        status_detail: 'declined',
      });
    await eventually(() => old.isOver());
    expect(page.isOver()).toBe(false);
    await api.knex('token_keys').where({ kid: known.kid }).update({ retired_at: new Date() });
    await eventually(async () => {
      await api.keyRing.refresh();
      return page.isOver();
    });
    await api.knex('token_keys').where({ kid: known.kid }).update({ retired_at: null });
    await eventually(async () => {
      await api.keyRing.refresh();
      return createWidgetTokens(api.keyRing).isAlive(payment.access_token);
    });
  });

  it('opens to no other token, and refuses payments without a state', async () => {
    const [one, two] = [await create(), await create()];
    expect((await openPage(api.url, { id: one.id, access_token: two.access_token })).status).toBe(401);
    const id = randomUUID();
    expect((await openPage(api.url, { id, access_token: createWidgetTokens(api.keyRing).issue(id) })).status).toBe(404);
    const transfer = await create({ payment_method: 'bank_transfer', payment_address: 'DE00 1234 5678' });
    expect((await openPage(api.url, transfer)).status).toBe(409);
  });

  it('is JSON where the client does not prefer events, and has no body for HEAD', async () => {
    const payment = await create();
    for (const accept of ['application/json', '*/*', 'application/json, text/event-stream', 'text/event-stream;q=0']) {
      const page = await openPage(api.url, payment, { headers: { accept } });
      expect([page.status, page.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    }
    const upper = await openPage(api.url, { ...payment, id: payment.id.toUpperCase() });
    await upper.until({ status: 'pending' });
    upper.close();
    const head = await openPage(api.url, payment, { method: 'HEAD' });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream']);
    await eventually(() => head.isOver());
  });

  it('has at most four streams of a payment, six of an address and eight of a process', async () => {
    const payment = await create();
    const four = await Promise.all([1, 2, 3, 4].map(() => openPage(api.url, payment)));
    const fifth = await openPage(api.url, payment);
    expect([fifth.status, fifth.headers['retry-after']]).toEqual([429, '15']);
    expect((await openPage(api.url, payment, { headers: { accept: '*/*' } })).status).toBe(200);
    const two = await Promise.all([create(), create()].map(async (made) => openPage(api.url, await made)));
    const seventh = await openPage(api.url, await create());
    expect([seventh.status, seventh.headers['retry-after']]).toEqual([429, '15']);
    four[0]!.close();
    const again = await eventually(async () => {
      const page = await openPage(api.url, payment);
      return page.status === 200 && page;
    });
    [...four, ...two, again].forEach((page) => page.close());
  });

  it('counts an IPv6 /64 as one address, and all addresses for the process', async () => {
    const proxied = await startApi({ trustedProxies: ['127.0.0.1'], streamLimits: { ofProcess: 3, ofAddress: 2 } });
    const make = await shopOf(proxied);
    const open = async (address: string) =>
      openPage(proxied.url, await make(), { headers: { 'x-forwarded-for': address } });
    const statuses: number[] = [];
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1', '192.0.2.1'])
      statuses.push((await open(address)).status);
    expect(statuses).toEqual([200, 200, 429, 200, 503]);
  });

  it('counts no refusal by such a limit as a fault, even where an operator allows no streams', async () => {
    const without = await startApi({ streamLimits: { ofProcess: 0, ofAddress: 6 } });
    const faults: boolean[] = [];
    onMeasure('request', ({ operation, isFault }) => {
      if (operation === 'getWidgetPaymentEvents') faults.push(isFault);
    });
    const make = await shopOf(without);
    expect((await openPage(without.url, await make())).status).toBe(503);
    await eventually(() => faults.length > 0);
    expect(faults).toEqual([false]);
    expect(without.lines.filter((line) => line.includes('request failed'))).toEqual([]);
    // The outage of a part of this installation is a fault.
    const payment = await create();
    proxy.cut();
    try {
      expect((await openPage(api.url, payment)).status).toBe(503);
      await eventually(() => faults.length > 1);
    } finally {
      proxy.mend();
    }
    expect(faults).toEqual([false, true]);
  });

  it('holds no more than the newest state for a client that does not read', async () => {
    const name = 'x'.repeat(250);
    const items = Array.from({ length: 90 }, (_, index) => ({ name: `${index} ${name}`, price: 1 }));
    const payment = await create({ items, price: 90, paid_price: 90 });
    const [page, reader] = [await openPage(api.url, payment), await openPage(api.url, payment)];
    await reader.until({ status: 'pending' });
    page.pause();
    const set = (change: object) => api.knex('payments').where({ id: payment.id }).update(change);
    for (let round = 1; round <= 300; round += 1) {
      const status_detail = round % 2 === 0 ? 'lane_paused' : 'key_missing';
      await set({ status_detail });
      const seen = reader.states.length;
      const told = () => reader.states.length > seen || reader.states.at(-1)?.status_detail === status_detail;
      await eventually(told, 15_000, 5);
    }
    await set({ status_detail: 'network_paused' });
    await reader.until({ status_detail: 'network_paused' });
    page.resume();
    await page.until({ status_detail: 'network_paused' });
    expect(page.states.length).toBeLessThan(reader.states.length);
    [page, reader].forEach((open) => open.close());
  });
});

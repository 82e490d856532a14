import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { Response } from 'express';
import { createEventSender, type EventSink } from '../../../api/answers/events.ts';
import { createPages } from '../../../api/widget/pages.ts';
import { eventually } from '../../support/eventually.ts';
import { silent } from '../../support/workflow-worker.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { startApi } from '../support/api-under-test.ts';
import { openPage } from '../support/events.ts';

const api = await startApi({
  streamLimits: { ofProcess: 8, ofAddress: 6 },
  rateLimits: { address: { rate: 1_000, burst: 1_000 } },
  // No page is read because a notification to the api itself is missing.
  checkEveryMs: 3_600_000,
});
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);
await api.activate(wallet, 'A');

const proxy = await createTcpProxy();
afterAll(() => proxy.close());
const deaf = await startApi({ listenThrough: proxy.through, checkEveryMs: 250 });
const merchant = await deaf.actor('shop');
const own = await deaf.wallet(merchant);
await deaf.activate(own, 'A');

interface Payment {
  readonly id: string;
  readonly access_token: string;
}

const create = async (change: Record<string, unknown> = {}): Promise<Payment> => {
  const json = api.paymentBody({ wallet_id: wallet.id, ...change });
  return (await api.call('POST', '/api/v1/payments', { token: shop.token, json })).body as Payment;
};

const head = ({ id, access_token: token }: Payment, ...more: string[]): string =>
  [
    `GET /api/v1/widget/payments/${id}/events HTTP/1.1`,
    'Host: carat',
    'Accept: text/event-stream',
    `Authorization: Bearer ${token}`,
    ...more,
    '',
    '',
  ].join('\r\n');

/** Sends bytes to the api and waits until they have left. */
const send = (bytes: string): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect({ port: Number(new URL(api.url).port), host: '127.0.0.1' });
    socket.once('error', reject);
    socket.write(bytes, () => resolve(socket));
  });

describe('a client that goes away', () => {
  it('before it is counted leaves no stream behind', async () => {
    const payment = await create();
    await api.knex('rate_limits').delete();
    const lock = await api.knex.transaction();
    await lock.raw('LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE');
    const sockets = await Promise.all(Array.from({ length: 12 }, () => send(head(payment))));
    const waiting = () =>
      api
        .knex('pg_stat_activity')
        .whereRaw(`datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%rate_limits%'`);
    await eventually(async () => (await waiting()).length > 0);
    const answered = () => api.lines.filter((line) => line.includes('"getWidgetPaymentEvents"')).length;
    sockets.forEach((socket) => socket.destroy());
    await eventually(() => answered() === sockets.length);
    await lock.rollback();
    await eventually(async () => (await waiting()).length === 0);
    const pages = await Promise.all([1, 2, 3, 4].map(() => openPage(api.url, payment)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    pages.forEach((page) => page.close());
  });
});

describe('clients that do not read', () => {
  it('have a bound of bytes together, and the longest waiting one goes first', async () => {
    const megabyte = 2 ** 20;
    const sendEvents = createEventSender(48 * megabyte);
    const sinks: EventSink[] = [];
    const closed: number[] = [];
    const server = http.createServer((_, response) => {
      const number = sinks.length;
      sendEvents(Object.assign(response, { locals: {} }) as unknown as Response, {
        status: 200,
        begin: (sink) => {
          sinks.push(sink);
          sink.onClose(() => closed.push(number));
        },
        leave: () => {},
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const open = (): net.Socket =>
      net
        .connect({ port, host: '127.0.0.1' })
        .on('error', () => {})
        .pause() as net.Socket;
    const sockets: net.Socket[] = [];
    const text = 'x'.repeat(16 * megabyte);
    for (let count = 1; count <= 3; count += 1) {
      const socket = open();
      sockets.push(socket);
      socket.write('GET / HTTP/1.1\r\nHost: carat\r\n\r\n');
      await eventually(() => sinks.length === count);
      expect(sinks.at(-1)!.send(text)).toBe(true);
      // Nothing waits behind it.
      expect(sinks.at(-1)!.send(':\n\n')).toBe(false);
    }
    expect(closed).toEqual([]);
    // The second client reads, so no bytes wait for it.
    let taken = 0;
    sinks[1]!.onTaken(() => (taken += 1));
    sockets[1]!.resume();
    await eventually(() => taken === 1);
    expect(sinks[1]!.send(':\n\n')).toBe(true);
    await eventually(() => taken === 2);
    expect(sinks[1]!.send(text)).toBe(true);
    sockets[1]!.pause();
    expect(closed).toEqual([]);
    const socket = open();
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: carat\r\n\r\n');
    await eventually(() => sinks.length === 4);
    expect(sinks[3]!.send(text)).toBe(true);
    await eventually(() => closed.length > 0);
    expect(closed).toEqual([0]);
    sockets.forEach((one) => one.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('missing notifications', () => {
  const open = () => deaf.knex('alerts').where({ kind: 'notifications_missing', closed_at: null }).select('data');
  const note = (id: string, status_detail: string) => deaf.knex('payments').where({ id }).update({ status_detail });

  it('raise an alert for the operator, and pages go on, until notifications arrive again', async () => {
    const json = deaf.paymentBody({ wallet_id: own.id });
    const { body } = await deaf.call('POST', '/api/v1/payments', { token: merchant.token, json });
    const payment = body as Payment;
    const page = await openPage(deaf.url, payment);
    await page.until({ status: 'pending' });
    await note(payment.id, 'key_missing');
    await page.until({ status_detail: 'key_missing' });
    await eventually(async () => (await open()).length === 0);
    // The connection stays open and silent, as behind a pooler that has given it to others.
    proxy.freeze();
    await note(payment.id, 'lane_paused');
    await page.until({ status_detail: 'lane_paused' });
    await eventually(async () => (await open()).length > 0);
    expect(await open()).toEqual([{ data: { process: 'api' } }]);
    await note(payment.id, 'network_paused');
    await page.until({ status_detail: 'network_paused' });
    proxy.cut();
    proxy.mend();
    await eventually(async () => (await open()).length === 0);
    await note(payment.id, 'key_missing');
    await eventually(() => page.states.at(-1)?.status_detail === 'key_missing');
    expect(page.isOver()).toBe(false);
    page.close();
  });

  it('for a moment, while their connection is renewed, are made up for once it is', async () => {
    const payment = await create();
    const page = await openPage(api.url, payment);
    await page.until({ status: 'pending' });
    await api.knex.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'carat-notifications'`,
    );
    await api.knex('payments').where({ id: payment.id }).update({ status_detail: 'key_missing' });
    expect(await page.until({ status_detail: 'key_missing' })).toMatchObject({ id: payment.id });
    page.close();
  });
});

it('the streams of a stopping process end, and turn to the next process, at different instants', async () => {
  const notifications = { listen: () => ({ close: () => {} }) };
  const tokens = { isAlive: () => true };
  const pages = createPages({ knex: api.knex, notifications, tokens, publicUrl: '', log: silent });
  let ended = 0;
  const sink: EventSink = {
    send: () => true,
    onTaken: () => {},
    onClose: () => {},
    end: () => (ended += 1),
  };
  const payments = await Promise.all(Array.from({ length: 25 }, () => create()));
  await Promise.all(payments.map(async ({ id }) => (await pages.open(id, 'token')).begin(sink)));
  pages.stop();
  expect(ended).toBe(10);
  await expect(pages.open(payments[0]!.id, 'token')).rejects.toMatchObject({ code: 'unavailable' });
  await eventually(() => ended === payments.length);
});

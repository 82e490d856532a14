import net from 'node:net';
import { eventually } from '../../support/eventually.ts';
import { startApi } from '../support/api-under-test.ts';
import { openPage } from '../support/events.ts';

const api = await startApi({
  streamLimits: { ofProcess: 8, ofAddress: 6 },
  rateLimits: { address: { rate: 1_000, burst: 1_000 } },
});
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);
await api.activate(wallet, 'A');

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

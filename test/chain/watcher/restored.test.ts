import { restored } from '../../../cli/backup/restore.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { callCommand } from '../../support/carat.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type RunOptions, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';
import { keepState, setBack } from '../support/set-back.ts';

/*
 * Payments of a backup whose deals were created in the lost time, and their cancels before the watcher has read the lost blocks. Their
 * buyers have the page, and can pay.
 */

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, blockTime: 0.2 });
  const runs = startAll();
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  await Promise.all(runs.map((run) => run.stop()));
});
afterAll(() => gateway.close());
beforeEach(async () => {
  proxies = await Promise.all([1, 2].map(() => startProxy(gateway.chain.url)));
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.knex('payments').whereNull('terminal_at').update({ status: 'failed', terminal_at: new Date() });
  await gateway.knex('alerts').del();
});

const startLane = () => keep(gateway.startLane({ timing: { foreign: 500 } }));
const startAll = (options?: RunOptions) => [keep(gateway.startWatcher(options)), startLane()];
const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();
const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();

const mark = () => callCommand(restored, [], { CARAT_DATABASE_URL: gateway.databaseUrl }, []);

/** A payment of the backup whose deal was created in the lost time, in a database that is restored and not marked. */
const unmarkedDeal = async (): Promise<TestPayment> => {
  const [known] = await gateway.pay(1);
  await keepState(gateway.knex);
  const runs = startAll();
  await allAre(gateway, [known!], 'awaiting_payment');
  await Promise.all(runs.map((run) => run.stop()));
  await setBack(gateway.knex);
  return known!;
};

/** The same in a database that is marked. */
const lostDeal = async (): Promise<TestPayment> => {
  const known = await unmarkedDeal();
  await mark();
  return known;
};

/** As a merchant cancels it. @returns its status */
const cancel = async (payment: TestPayment): Promise<string> => {
  await gateway.knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: null }));
  await decideCancel(gateway.knex, payment.id);
  return (await rowOf(payment)).status as string;
};

const alertsOf = async (kind: string): Promise<number> => (await gateway.knex('alerts').where({ kind })).length;

it('a cancel before the lost blocks are read does not end the payment as never sent, and the buyer may be faster', async () => {
  const known = await lostDeal();
  expect(await cancel(known)).toBe('canceling');
  await gateway.buy(known);
  startAll();
  await allAre(gateway, [known], 'completed');
  expect(await alertsOf('payment_after_end')).toBe(0);
});

it('a cancel before the lost blocks are read cancels the deal on the chain, once they are', async () => {
  const known = await lostDeal();
  expect(await cancel(known)).toBe('canceling');
  startAll();
  await allAre(gateway, [known], 'canceled');
  expect(await rowOf(known)).toMatchObject({ status_detail: null, cancel_tx_hash: expect.stringMatching(/^0x/) });
});

it('a payment that was never sent is canceled without a transaction, once the lost blocks are read', async () => {
  const [waiting, other] = await gateway.pay(2);
  await mark();
  expect(await cancel(waiting!)).toBe('canceling');
  keep(gateway.startWatcher());
  await allAre(gateway, [waiting!], 'canceled');
  expect(await rowOf(waiting!)).toMatchObject({ status_detail: 'canceled_before_creation', cancel_tx_hash: null });
  expect(await cursor()).toMatchObject({ is_behind_restore: false });
  // From now on, the database knows.
  expect(await cancel(other!)).toBe('canceled');
});

it('an endpoint that ends before the lost blocks does not count as having read them', async () => {
  const known = await lostDeal();
  expect(await cancel(known)).toBe('canceling');
  const { number } = await cursor();
  const [late, half] = proxies as [Proxy, Proxy];
  const newest = `0x${Number(number).toString(16)}`;
  late.rewrite = (request) => {
    const [block] = request.params;
    if (request.method === 'eth_blockNumber') return { result: newest };
    if (request.method !== 'eth_getBlockByNumber') return request;
    if (block === 'latest') return { ...request, params: [newest, false] };
    return Number(block) > Number(number) ? { result: null } : request;
  };
  // The requests that show its chain and its height.
  const answered = ({ method, params }: WireRequest): boolean =>
    ['eth_blockNumber', 'eth_chainId'].includes(method) || params[0] === '0x0';
  half.rewrite = (request) => (answered(request) ? request : { error: { code: -32_000, message: 'not now' } });
  // So many rounds at what seems to be the head.
  const looks = async (): Promise<void> => {
    late.seen.length = 0;
    await eventually(() => late.seen.filter((method) => method === 'eth_getBlockByNumber').length > 50);
  };
  keep(gateway.startWatcher({ urls: [late.url, half.url] }));
  await looks();
  // No other endpoint responds.
  half.mode = 'refuse';
  await looks();
  expect(await cursor()).toMatchObject({ number, is_behind_restore: true });
  expect(await gateway.statuses([known])).toEqual(['canceling']);

  await gateway.buy(known);
  Object.assign(late, { rewrite: null });
  Object.assign(half, { rewrite: null, mode: 'pass' });
  startLane();
  await allAre(gateway, [known], 'completed');
  await eventually(async () => (await cursor()).is_behind_restore === false);
});

it('a payment whose diamond was deployed in the lost time neither expires nor is canceled before the chain was read', async () => {
  const diamond = (status: string) => gateway.knex('diamonds').update({ status });
  const [paid, open] = await gateway.pay(2);
  await keepState(gateway.knex);
  const runs = startAll();
  await allAre(gateway, [paid!, open!], 'awaiting_payment');
  await gateway.buy(paid!);
  await allAre(gateway, [paid!], 'completed');
  await Promise.all(runs.map((run) => run.stop()));
  await setBack(gateway.knex);
  await diamond('deploying');
  const [absent] = await gateway.pay(1);
  await gateway.knex('payments').where({ id: paid!.id }).update({ expires_unix: 1_000 });
  await mark();
  expect([await cancel(open!), await cancel(absent!)]).toEqual(['canceling', 'canceling']);

  keep(gateway.startWatcher({ watch: { recheck: 200 } }));
  await allAre(gateway, [absent!], 'canceled');
  const { confirmed_number: confirmed } = await cursor();
  await eventually(async () => Number((await cursor()).confirmed_number) > Number(confirmed) + 3);
  expect(await gateway.statuses([paid!, open!])).toEqual(['pending', 'canceling']);
  // Its deployment finds it on the chain.
  await diamond('active');
  startLane();
  await allAre(gateway, [paid!], 'completed');
  await allAre(gateway, [open!], 'canceled');
  expect(await rowOf(open!)).toMatchObject({ cancel_tx_hash: expect.stringMatching(/^0x/) });
});

it('a deal that appears after its payment was canceled as never sent is canceled on the chain', async () => {
  const known = await unmarkedDeal();
  // As if its transaction had been mined later than this.
  expect(await cancel(known)).toBe('canceled');
  await mark();
  startAll();
  await eventually(async () => (await rowOf(known)).cancel_tx_hash !== null);
  expect(await rowOf(known)).toMatchObject({ status: 'canceled', status_detail: 'canceled_before_creation' });
});

it('an endpoint that claims a false height delays cancels only until blocks are long after the restore', async () => {
  const [waiting] = await gateway.pay(1);
  const [liar, absurd] = proxies as [Proxy, Proxy];
  const heightOf = (result: string) => (request: WireRequest) =>
    request.method === 'eth_blockNumber' ? { result } : request;
  Object.assign(liar, { rewrite: heightOf('0xffffff') });
  Object.assign(absurd, { rewrite: heightOf('high') });
  await mark();
  expect(await cancel(waiting!)).toBe('canceling');
  keep(gateway.startWatcher({ urls: [gateway.chain.url, absurd.url, liar.url], network: { quorum: 1 } }));
  const { confirmed_number: confirmed } = await cursor();
  await eventually(async () => Number((await cursor()).confirmed_number) > Number(confirmed) + 10);
  expect(await cursor()).toMatchObject({ is_behind_restore: true });
  // As if it had been marked then.
  await gateway.knex('restores').update({ marked_at: new Date(Date.now() - 2 * 3_600_000) });
  await allAre(gateway, [waiting!], 'canceled');
});

it('a mark with a clock that was ahead ends with the next mark', async () => {
  const [waiting] = await gateway.pay(1);
  await mark();
  // Its clock was put right since.
  await gateway.knex('restores').update({ marked_at: new Date(Date.now() + 86_400_000) });
  await mark();
  expect(await cancel(waiting!)).toBe('canceling');
  keep(gateway.startWatcher());
  await allAre(gateway, [waiting!], 'canceled');
});

it('a payment whose diamond was never deployed is canceled after a restore', async () => {
  const [waiting] = await gateway.pay(1);
  const nowhere = `0x${'ab'.repeat(20)}`;
  await gateway.knex('payments').where({ id: waiting!.id }).update({ diamond_address: nowhere });
  await mark();
  expect(await cancel(waiting!)).toBe('canceling');
  keep(gateway.startWatcher({ watch: { recheck: 200 } }));
  await allAre(gateway, [waiting!], 'canceled');
});

it('a payment whose diamond was never deployed expires after a restore', async () => {
  const [waiting] = await gateway.pay(1);
  const nowhere = `0x${'ac'.repeat(20)}`;
  await gateway.knex('payments').where({ id: waiting!.id }).update({ diamond_address: nowhere, expires_unix: 1_000 });
  await mark();
  keep(gateway.startWatcher({ watch: { recheck: 200 } }));
  await allAre(gateway, [waiting!], 'expired');
  expect(await rowOf(waiting!)).toMatchObject({ deal_tx_hash: null });
});

import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { loadWorkerConfig } from '../../../runtime/config.ts';
import { laneTiming } from '../../../chain/lane/context.ts';
import { watchTiming } from '../../../chain/watcher/context.ts';
import { LONGEST_PAUSE_MS } from '../../../chain/run.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, allWait, stopAfterEach } from '../support/running.ts';

/*
 * Alerts before and while a lane stands still: little money, none, and a network without an endpoint.
 */

let gateway: Gateway;
let proxy: Proxy;
const keep = stopAfterEach();
const lines: { message: string; alert: unknown }[] = [];
const note = (message: string, fields: Record<string, unknown> = {}): void =>
  void lines.push({ message, alert: fields['alert'] });
const log = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  gateway = await startGateway();
  proxy = await startProxy(gateway.chain.url);
  // Empty blocks lower the base fee, and with it the bound of low funds. Both are at their lowest before the tests begin.
  await gateway.rpc.call('anvil_mine', ['0x100']);
});
afterAll(async () => {
  await proxy.close();
  await gateway.close();
});
beforeEach(async () => {
  lines.length = 0;
  await gateway.knex('alerts').delete();
});

const setBalance = (wei: bigint) =>
  gateway.rpc.call('anvil_setBalance', [gateway.keys.operator.address, `0x${wei.toString(16)}`]);
const alertsOf = (kind: string) => gateway.knex('alerts').where({ kind }).orderBy('id');
const open = async (kind: string) => (await alertsOf(kind)).filter(({ closed_at }) => closed_at === null);
const ofKind = (kind: string): string[] => lines.filter(({ alert }) => alert === kind).map(({ message }) => message);

it('low funds have one alert, by name and before they are gone, which ends with half as much again', async () => {
  await setBalance(10n ** 14n);
  keep(gateway.startWatcher());
  keep(gateway.startLane({ lowFunds: 20, log, timing: { unreachable: 200 } }));
  const [alert] = await eventually(async () => {
    const rows = await open('operator_low');
    return rows.length > 0 && rows;
  });
  expect(alert!.data).toMatchObject({
    role: 'operator',
    address: gateway.keys.operator.address,
    transactions: 20,
    balance_wei: String(10n ** 14n),
  });
  expect(alert!.message).toContain(
    `The operator ${gateway.keys.operator.address} on ${gateway.network.name} has 0.0001 `,
  );
  const { low_wei: low, enough_wei: enough } = alert!.data as Record<string, string>;
  expect(BigInt(enough!)).toBe((BigInt(low!) * 3n) / 2n);

  // Above the one threshold and below the other: fees that go up and down raise no new alert.
  await setBalance((BigInt(low!) * 5n) / 4n);
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  expect([await open('operator_low'), await alertsOf('operator_low')].map(({ length }) => length)).toEqual([1, 1]);
  await setBalance(BigInt(enough!) * 4n);
  await eventually(async () => (await open('operator_low')).length === 0);
  expect(ofKind('operator_low')).toEqual([alert!.message, `Over: ${alert!.message}`]);
});

it('low funds are no alert while every wallet of the operator offers its deals, and no created one is open', async () => {
  await gateway.knex('payments').update({ status: 'expired', terminal_at: new Date() });
  await setBalance(10n ** 14n);
  keep(gateway.startWatcher());
  const lane = keep(gateway.startLane({ lowFunds: 20 }));
  await eventually(async () => (await open('operator_low')).length > 0);
  await lane.stop();
  await gateway.knex('wallets').update({ deal_modes: JSON.stringify({ [gateway.network.id]: 'offered' }) });
  const next = keep(gateway.startLane({ lowFunds: 20 }));
  expect(await eventually(async () => (await open('operator_low')).length === 0)).toBe(true);
  await gateway.knex('wallets').update({ deal_modes: '{}' });
  await eventually(async () => (await open('operator_low')).length > 0);
  await next.stop();
});

it('the alert of low funds begins and ends only by most endpoints and the quorum', async () => {
  const proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  for (const one of proxies) keep({ ended: Promise.resolve(), stop: () => one.close() });
  const asked = (): number =>
    proxies.flatMap(({ seen }) => seen).filter((method) => method === 'eth_getBalance').length;
  /** The leading endpoint tells another balance, until endpoints were asked for it several times. */
  const lies = async (wei: bigint): Promise<void> => {
    const [liar] = proxies as [Proxy];
    liar.tamper = ({ method }, result) => (method === 'eth_getBalance' ? `0x${wei.toString(16)}` : result);
    const before = asked();
    await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
    await eventually(() => asked() >= before + 12);
  };
  await setBalance(10n ** 18n);
  keep(gateway.startWatcher());
  const network = { quorum: 2 };
  keep(
    gateway.startLane({
      urls: proxies.map(({ url }) => url),
      network,
      lowFunds: 20,
      timing: { unreachable: 200, funds: 500 },
    }),
  );
  await lies(10n ** 15n);
  expect(await alertsOf('operator_low')).toEqual([]);
  proxies[0]!.tamper = null;
  await setBalance(10n ** 15n);
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  await eventually(async () => (await open('operator_low')).length === 1);
  await lies(10n ** 18n);
  expect(await open('operator_low')).toHaveLength(1);
  proxies[0]!.tamper = null;
  await setBalance(10n ** 18n);
  await eventually(async () => (await open('operator_low')).length === 0);
  expect(await alertsOf('operator_low')).toHaveLength(1);
});

it('an account is underfunded only by the word of most endpoints', async () => {
  const proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  for (const one of proxies) keep({ ended: Promise.resolve(), stop: () => one.close() });
  await setBalance(10n ** 18n);
  proxies[0]!.tamper = ({ method }, result) => (method === 'eth_getBalance' ? '0x1' : result);
  keep(gateway.startWatcher());
  keep(gateway.startLane({ urls: proxies.map(({ url }) => url) }));
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  expect(await alertsOf('operator_underfunded')).toEqual([]);
});

it('the alert of an earlier run about low funds ends in a run without work', async () => {
  await setBalance(10n ** 14n);
  keep(gateway.startWatcher());
  const lane = keep(gateway.startLane({ lowFunds: 20 }));
  const [alert] = await eventually(async () => {
    const rows = await open('operator_low');
    return rows.length > 0 && rows;
  });
  await lane.stop();
  const { low_wei: low, enough_wei: enough } = alert!.data as Record<string, string>;
  await setBalance((BigInt(low!) * 5n) / 4n);
  let isRead = false;
  proxy.tamper = ({ method }, result) => {
    isRead ||= method === 'eth_getBalance';
    return result;
  };
  keep(gateway.startLane({ urls: [proxy.url], lowFunds: 20, timing: { unreachable: 200, funds: 500 } }));
  await eventually(() => isRead);
  await setBalance(BigInt(enough!) * 4n);
  await eventually(async () => (await open('operator_low')).length === 0);
});

it('an idle lane that loses its funds has an alert before it has work', async () => {
  await setBalance(10n ** 18n);
  keep(gateway.startWatcher());
  keep(gateway.startLane({ urls: [proxy.url], lowFunds: 20, timing: { unreachable: 200, funds: 200 } }));
  const asked = () => proxy.seen.filter((method) => method === 'eth_getBalance').length;
  await eventually(() => asked() > 3);
  expect(await open('operator_low')).toEqual([]);
  await setBalance(0n);
  await eventually(async () => (await open('operator_low')).length === 1);
  await setBalance(10n ** 18n);
  await eventually(async () => (await open('operator_low')).length === 0);
});

it('the alert of low funds of a dismissed key ends, and does not begin', async () => {
  const account = { id: gateway.world.operatorAccountId };
  await setBalance(10n ** 14n);
  keep(gateway.startWatcher());
  const lane = keep(gateway.startLane({ lowFunds: 20 }));
  await eventually(async () => (await open('operator_low')).length === 1);
  await lane.stop();
  await gateway.knex('signer_accounts').where(account).update({ dismissed_at: gateway.knex.fn.now() });
  await closeWhatIsOver(gateway.knex);
  expect(await open('operator_low')).toEqual([]);
  await setBalance(10n ** 18n);
  keep(gateway.startLane({ lowFunds: 20 }));
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  expect(await open('operator_low')).toEqual([]);
  await gateway.knex('signer_accounts').where(account).update({ dismissed_at: null });
});

it('missing funds have one alert, with role, balance, need and the number waiting, which ends when funds arrive', async () => {
  await setBalance(1n);
  keep(gateway.startWatcher());
  keep(gateway.startLane({ log }));
  const payments = await gateway.pay(3);
  await allWait(gateway, payments, 'operator_underfunded');
  const [alert] = await eventually(async () => {
    const rows = await open('operator_underfunded');
    return rows.length > 0 && rows;
  });
  expect(alert!.data).toMatchObject({
    role: 'operator',
    address: gateway.keys.operator.address,
    balance_wei: '1',
    waiting: 3,
    need_wei: expect.stringMatching(/^\d{12,}$/),
  });
  expect(alert!.message).toContain(`The operator ${gateway.keys.operator.address} on ${gateway.network.name}`);
  await setBalance(10n ** 18n);
  await allAre(gateway, payments, 'awaiting_payment');
  await closeWhatIsOver(gateway.knex);
  expect(await open('operator_underfunded')).toEqual([]);
  expect(ofKind('operator_underfunded')).toEqual([alert!.message]);
});

it('a network without an endpoint has one alert, which ends when an endpoint answers again', async () => {
  const options = { urls: [proxy.url], log };
  keep(gateway.startWatcher({ ...options, watch: { unreachable: 500 } }));
  const lane = keep(gateway.startLane({ ...options, timing: { unreachable: 500 } }));
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  proxy.mode = 'refuse';
  const waiting = await gateway.pay(1);
  await allWait(gateway, waiting, 'network_unreachable');
  await eventually(async () => (await open('network_unreachable')).length === 1);
  const [alert] = await open('network_unreachable');
  expect(alert!.message).toMatch(`No RPC endpoint of ${gateway.network.name} gives a usable response`);
  proxy.mode = 'pass';
  await allAre(gateway, waiting, 'awaiting_payment');
  await eventually(async () => (await open('network_unreachable')).length === 0);
  await lane.stop();
  expect(await alertsOf('network_unreachable')).toHaveLength(1);
  // Each part says when it begins and when it ends, and nothing in between.
  expect(
    lines
      .map(({ message }) => message)
      .filter((message) => /its network/.test(message))
      .toSorted(),
  ).toEqual([
    'Lane reaches its network again',
    'Lane waits for its network',
    'Watcher reaches its network again',
    'Watcher waits for its network',
  ]);
});

it('a network without an endpoint has an alert even while nothing is under way and the next block is not due', async () => {
  await gateway.knex('payments').update({ status: 'expired', terminal_at: new Date() });
  const first = keep(gateway.startWatcher());
  // Everything that was sent is confirmed, so the next run is idle from its first round on.
  await eventually(async () => {
    const [open, read] = await Promise.all([
      gateway.knex('tx_slots').whereNot({ state: 'confirmed' }),
      gateway.knex('watch_cursors').whereNotNull('confirmed_number'),
    ]);
    return open.length === 0 && read.length > 0;
  });
  await first.stop();
  proxy.mode = 'refuse';
  keep(gateway.startWatcher({ urls: [proxy.url], watch: { unreachable: 500, idle: 60_000 } }));
  await eventually(async () => (await open('network_unreachable')).length === 1);
  proxy.mode = 'pass';
  await eventually(async () => (await open('network_unreachable')).length === 0);
});

it('a run whose network answers ends the alert of an earlier run', async () => {
  const told = { dedupe_key: `network_unreachable:${gateway.network.id}`, kind: 'network_unreachable', message: 'm' };
  await gateway.knex('alerts').insert({ ...told, is_condition: true, network_id: gateway.network.id, data: {} });
  keep(gateway.startWatcher());
  await eventually(async () => (await open('network_unreachable')).length === 0);
});

it('the times of production report a silent network within 60 s, and the default threshold is 20 transactions', () => {
  const longestExchange = 10_000;
  for (const blockTimeMs of [200, 2_000, 12_000, 60_000]) {
    const { idle, unreachable } = watchTiming(blockTimeMs);
    for (const patience of [unreachable, laneTiming(blockTimeMs).unreachable]) {
      // An idle watcher asks once a block; the failure that is late begins after a pause and ends after an exchange.
      expect(idle + patience + LONGEST_PAUSE_MS + longestExchange).toBeLessThanOrEqual(60_000);
    }
  }
  const env = {
    CARAT_DATABASE_URL: 'postgres://a',
    CARAT_TEMPORAL_ADDRESS: 'a:1',
    CARAT_KEYSTORE: 'a',
    CARAT_KEYSTORE_PASSPHRASE: 'a',
    CARAT_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  };
  expect(loadWorkerConfig(env).lowFunds).toBe(20);
});

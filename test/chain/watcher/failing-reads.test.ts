import { eventually } from '../../support/eventually.ts';
import type { TestPayment } from '../support/gateway.ts';
import type { Proxy, WireRequest } from '../support/proxy.ts';
import { allAre } from '../support/running.ts';
import { useProxies } from '../support/three-endpoints.ts';

/* Endpoints that serve blocks, and fail at one further question of a watcher: at words of deals, or at receipts. */

const all = useProxies();
const { keep, among } = all;

const alerts = (kind: string) => all.gateway.knex('alerts').where({ kind });
const ready = async (): Promise<TestPayment> => {
  const [payment] = await all.gateway.pay(1);
  await allAre(all.gateway, [payment!], 'awaiting_payment');
  return payment!;
};
const rowOf = ({ id }: TestPayment) => all.gateway.knex('payments').where({ id }).first();
const isCall = ({ method }: WireRequest): boolean => method === 'eth_call';
const withStatus =
  (status: number) =>
  (proxy: Proxy): void => {
    proxy.refuseStatus = (requests) => (requests.some(isCall) ? status : undefined);
  };

it.each<[string, string, (proxy: Proxy) => void]>([
  ['HTTP 403', 'HTTP status 403', withStatus(403)],
  ['HTTP 429', 'HTTP status 429', withStatus(429)],
  ['HTTP 504', 'HTTP status 504', withStatus(504)],
  [
    'a rate limit in place of each word',
    'rate limit exceeded',
    (proxy) => {
      proxy.rewrite = (request) =>
        isCall(request) ? { error: { code: -32_005, message: 'rate limit exceeded' } } : request;
    },
  ],
  [
    'nonsense',
    'nonsense in response to eth_call',
    (proxy) => {
      proxy.tamper = (request, result) => (isCall(request) ? null : result);
    },
  ],
])(
  'words that the only endpoint fails to give by %s are its refusal, and no fault of a diamond',
  async (_, reason, fail) => {
    keep(all.gateway.startLane());
    keep(all.gateway.startWatcher({ ...among(1, 1), watch: { unreadable: 500, recheck: 300 } }));
    const payment = await ready();
    fail(all.proxies[0]!);
    await all.gateway.buy(payment);
    const [alert] = await eventually(async () => {
      const found = await alerts('endpoint_refuses');
      return found.length > 0 && found;
    });
    expect(alert.data).toMatchObject({ method: 'eth_call', needed_for: 'reading' });
    expect(alert.message).toContain(reason);
    expect((await rowOf(payment)).status_detail).toBe('endpoint_refuses');
    expect(await alerts('words_unreadable')).toEqual([]);
    Object.assign(all.proxies[0]!, { rewrite: null, tamper: null, refuseStatus: null });
    await allAre(all.gateway, [payment], 'completed');
    await eventually(async () => (await alerts('endpoint_refuses'))[0].closed_at !== null);
    expect(all.troubles.filter(({ isLie }) => isLie)).toEqual([]);
  },
);

it('an endpoint that refuses a receipt by which another one proves a log is no liar', async () => {
  const isRange = ({ method, params }: WireRequest): boolean =>
    method === 'eth_getLogs' && (params[0] as { blockHash?: string }).blockHash === undefined;
  const error = (message: string) => ({ error: { code: -32_000, message } });
  for (const [index, proxy] of all.proxies.entries()) {
    proxy.tamper = (request, result) => {
      if (request.method === 'eth_getBlockReceipts') return null;
      return request.method === 'eth_getLogs' && !isRange(request) ? [] : result;
    };
    proxy.rewrite = (request) => {
      if (index < 2 && isRange(request)) return error('busy, come back');
      const isReceipt = request.method === 'eth_getTransactionReceipt';
      return index === 0 && isReceipt ? error('transaction indexing is in progress') : request;
    };
  }
  keep(all.gateway.startLane());
  keep(all.gateway.startWatcher({ ...among(3, 2), watch: { recheck: 500 } }));
  const payment = await ready();
  const hash = await all.gateway.buy(payment);
  await allAre(all.gateway, [payment], 'completed');
  expect((await rowOf(payment)).paid_tx_hash).toBe(hash);
  expect(all.proxies[0]!.seen).toContain('eth_getTransactionReceipt');
  expect(all.troubles.filter(({ isLie }) => isLie)).toEqual([]);
});

it('payments complete while one of two endpoints writes its quantities with zeros and capital letters', async () => {
  const change = (value: unknown): unknown => {
    if (typeof value === 'string' && /^0x[0-9a-f]+$/.test(value))
      return `0x${value.length < 18 ? '0' : ''}${value.slice(2).toUpperCase()}`;
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, change(own)]));
  };
  all.proxies[1]!.tamper = (_, result) => change(result);
  keep(all.gateway.startLane(among(2, 2)));
  keep(all.gateway.startWatcher(among(2, 2)));
  const payment = await ready();
  await all.gateway.buy(payment);
  await allAre(all.gateway, [payment], 'completed');
  expect(all.troubles).toEqual([]);
});

import type { EndpointTrouble } from '../../../chain/rpc/member.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireAnswer, type WireRequest } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

/* An only endpoint that serves less than a watcher asks of it, and a chain without a block at some heights. */

let gateway: Gateway;
let proxy: Proxy;
let other: Proxy;
let troubles: EndpointTrouble[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  [proxy, other] = await Promise.all([startProxy(gateway.chain.url), startProxy(gateway.chain.url)]);
  troubles = [];
});
afterEach(() => Promise.all([proxy.close(), other.close()]));

const cursorOf = async (): Promise<number> =>
  Number((await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first())?.number ?? -1);
const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
const watch = (urls: readonly string[] = [proxy.url]) =>
  keep(gateway.startWatcher({ urls, report: (trouble) => troubles.push(trouble) }));
/** Stops a watcher at the tip, and makes so many blocks. */
const fallBehind = async (blocks: number): Promise<number> => {
  const first = watch();
  await eventually(async () => (await cursorOf()) >= (await tip()) - 3);
  await first.stop();
  await gateway.rpc.call('anvil_mine', [`0x${blocks.toString(16)}`]);
  return tip();
};

it.each([502, 403])(
  'a watcher 150 blocks behind catches up where more than 50 requests have HTTP %d',
  async (status) => {
    const goal = await fallBehind(150);
    proxy.refuseStatus = (list) => (list.length > 50 ? status : undefined);
    watch();
    await eventually(async () => (await cursorOf()) >= goal);
    expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
  },
);

it.each<[string, WireAnswer]>([
  ['a rate limit', { error: { code: -32_005, message: 'rate limit exceeded' } }],
  ['words of its own', { error: { code: -32_000, message: 'busy, come back' } }],
])('a watcher catches up where all logs after the tenth of an exchange have %s', async (_, refusal) => {
  const goal = await fallBehind(100);
  let inExchange = 0;
  proxy.refuseBatch = () => void (inExchange = 0);
  proxy.rewrite = (request) => (request.method === 'eth_getLogs' && (inExchange += 1) > 10 ? refusal : request);
  watch();
  await eventually(async () => (await cursorOf()) >= goal);
  expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
});

it('heights above the newest block may have an error in place of null', async () => {
  proxy.tamper = null;
  proxy.rewrite = async (request) => {
    if (request.method !== 'eth_getBlockByNumber' || request.params[0] === 'latest') return request;
    const found = await gateway.rpc.call('eth_getBlockByNumber', [...request.params]);
    return found === null ? { error: { code: -32_000, message: 'header not found' } } : request;
  };
  const goal = (await tip()) + 5;
  watch([proxy.url, other.url]);
  await eventually(async () => (await cursorOf()) >= goal);
  // A block may come between the two questions of the proxy.
  expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
});

type Round = (request: WireRequest, missing: number) => WireAnswer | WireRequest;
const rounds: Record<string, Round> = {
  null: () => ({ result: null }),
  'the error of an empty round': () => ({ error: { code: 12, message: 'requested epoch was a null round' } }),
  'the block before': (request, missing) => ({ ...request, params: [`0x${(missing - 1).toString(16)}`, false] }),
};
const hide = (one: Proxy, missing: number, parent: string, how: Round): void => {
  one.rewrite = (request) =>
    request.method === 'eth_getBlockByNumber' && Number(request.params[0]) === missing
      ? how(request, missing)
      : request;
  one.tamper = ({ method }, result) => {
    const own = result as { number?: string } | null;
    const isNext = method === 'eth_getBlockByNumber' && own !== null && Number(own.number) === missing + 1;
    return isNext ? { ...own, parentHash: parent } : result;
  };
};

describe('a height without a block', () => {
  const missingSoon = async (those: readonly Proxy[], how: Round): Promise<number> => {
    await eventually(async () => (await cursorOf()) >= (await tip()) - 3);
    const missing = (await tip()) + 4;
    await eventually(async () => (await tip()) >= missing - 1);
    const before = (await gateway.rpc.call('eth_getBlockByNumber', [`0x${(missing - 1).toString(16)}`, false])) as {
      hash: string;
    };
    for (const one of those) hide(one, missing, before.hash, how);
    return missing;
  };

  it.each([
    ['null', 1],
    ['the error of an empty round', 1],
    ['the block before', 1],
    ['null', 2],
  ])('that is answered with %s by all of %d endpoints is passed', async (how, count) => {
    const those = [proxy, other].slice(0, count);
    watch(those.map(({ url }) => url));
    const missing = await missingSoon(those, rounds[how]!);
    await eventually(async () => (await cursorOf()) > missing + 2);
    expect(troubles.filter(({ isLie }) => isLie)).toEqual([]);
    const stored = await gateway.knex('block_headers').where({ number: missing }).pluck('number');
    expect(stored).toEqual([]);
  });

  it('that one of two endpoints hides is read from the other one', async () => {
    watch([proxy.url, other.url]);
    const missing = await missingSoon([proxy], rounds['null']!);
    await eventually(async () => (await cursorOf()) > missing + 2);
    expect(await gateway.knex('block_headers').where({ number: missing }).pluck('number')).toHaveLength(1);
  });
});

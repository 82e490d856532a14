import type { Log } from '../../../domain/ports/log.ts';
import { eventually } from '../../support/eventually.ts';
import { quiet, startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

/*
 * A network with a quorum of two of three endpoints halts, and goes on, only by the quorum. Its chain makes blocks only for
 * transactions.
 */

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();
const network = { quorum: 2, confirmations: 1 };

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 1 });
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  await gateway.rpc.call('evm_setAutomine', [true]);
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const isHalted = async (): Promise<boolean> => (await cursor()).status === 'halted';
const halts = () => gateway.knex('alerts').where({ kind: 'network_halted' });
const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
const mine = (blocks = 1) => gateway.rpc.call('anvil_mine', [`0x${blocks.toString(16)}`]);
const urls = (): string[] => proxies.map(({ url }) => url);

const watch = (log: Log = quiet) =>
  keep(gateway.startWatcher({ urls: urls(), watch: { halted: 200, logsIdle: 100 }, network, log }));

const isAtTip = async (): Promise<boolean> => Number((await cursor())?.number) === (await tip());

/** Mines blocks one by one, each of which the watcher stores. */
const follow = async (blocks: number): Promise<void> => {
  for (let made = 0; made < blocks; made += 1) {
    await mine();
    await eventually(isAtTip);
  }
};

/** Waits for looks of the watcher, each of which has some exchanges with all endpoints together. */
const looks = async (count: number): Promise<void> => {
  const seen = (): number => proxies.reduce((sum, { exchanges }) => sum + exchanges.length, 0);
  const before = seen();
  await eventually(() => seen() > before + 8 * count, 30_000);
};

/** Lets an endpoint show the blocks of this moment for good. */
const remember = async (proxy: Proxy): Promise<void> => {
  const last = await tip();
  const blocks = new Map<number, unknown>();
  for (let number = 0; number <= last; number += 1)
    blocks.set(number, await gateway.rpc.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]));
  proxy.rewrite = (request) => {
    const [asked] = request.params as [string];
    if (request.method !== 'eth_getBlockByNumber') return request;
    return { result: blocks.get(asked === 'latest' ? last : Number(asked)) ?? null };
  };
};

/** Replaces all blocks that the watcher has stored; the first endpoint goes on showing them. */
const replaceBlocks = async (log?: Log): Promise<void> => {
  const before = await gateway.rpc.call('evm_snapshot');
  // More than a new network begins with.
  await mine(4);
  watch(log);
  await eventually(isAtTip);
  await follow(3);
  // Their logs are read, so that nothing else keeps a watcher from going on.
  await looks(3);
  const length = await tip();
  await remember(proxies[0]!);
  await gateway.rpc.call('evm_revert', [before]);
  await gateway.rpc.call('evm_increaseTime', [50]);
  await mine(length - (await tip()));
  await eventually(isHalted);
};

it('stays halted, and sends nothing, while one endpoint alone shows the stored blocks', async () => {
  await replaceBlocks();
  proxies[2]!.mode = 'refuse';
  const [waiting] = await gateway.pay(1);
  keep(gateway.startLane({ urls: urls(), network }));
  await looks(6);
  expect(await isHalted()).toBe(true);
  expect(await gateway.statuses([waiting!])).toEqual(['pending']);
  expect(proxies.flatMap(({ seen }) => seen)).not.toContain('eth_sendRawTransaction');
  expect(await halts()).toHaveLength(1);
});

it('goes on when the quorum shows the stored blocks, and says so only then', async () => {
  const said: string[] = [];
  const log: Log = {
    ...quiet,
    error: (message) => void said.push(message),
    info: (message) => void said.push(message),
  };
  await replaceBlocks(log);
  // Too few are left to decide anything.
  for (const place of [0, 2]) proxies[place]!.mode = 'refuse';
  await looks(4);
  expect([await isHalted(), said]).toEqual([true, ['Watcher halted']]);
  proxies[2]!.rewrite = proxies[0]!.rewrite;
  for (const proxy of proxies) proxy.mode = 'pass';
  await eventually(async () => !(await isHalted()), 20_000);
  expect(said).toEqual(['Watcher halted', 'Watcher goes on']);
});

const isBlock = (method: string): boolean => method === 'eth_getBlockByNumber';

/** Lets an endpoint begin without blocks, as after the loss of its data: its newest one is the first. */
const startOver = (proxy: Proxy): void => {
  proxy.rewrite = (request) => {
    if (!isBlock(request.method)) return request;
    const [asked] = request.params as [string];
    if (asked === 'latest') return { ...request, params: ['0x0', false] };
    return Number(asked) > 0 ? { result: null } : request;
  };
};

it('goes on by the quorum while one endpoint starts over', async () => {
  await replaceBlocks();
  proxies[2]!.rewrite = proxies[0]!.rewrite;
  startOver(proxies[1]!);
  await eventually(async () => !(await isHalted()), 20_000);
  expect(await halts()).toHaveLength(1);
});

it.each([0, 1])(
  'goes on by the quorum whose chain is shorter than the cursor, while %d claim a longer one',
  async (liars) => {
    await replaceBlocks();
    const last = Number((await cursor()).number);
    const shown = proxies[0]!.rewrite!;
    const shorter: NonNullable<Proxy['rewrite']> = (request) => {
      if (!isBlock(request.method)) return request;
      const [asked] = request.params as [string];
      if (asked === 'latest') return shown({ ...request, params: [`0x${(last - 1).toString(16)}`, false] });
      return Number(asked) >= last ? { result: null } : shown(request);
    };
    for (const place of liars === 0 ? [0, 1, 2] : [0, 2]) proxies[place]!.rewrite = shorter;
    await eventually(async () => !(await isHalted()), 20_000);
    expect(await halts()).toHaveLength(1);
  },
);

it('stays halted while one endpoint shows the stored blocks below the new ones', async () => {
  await replaceBlocks();
  const height = Number((await cursor()).number);
  const shown = proxies[0]!.rewrite!;
  proxies[0]!.rewrite = null;
  proxies[1]!.rewrite = (request) => {
    const [asked] = request.params as [string];
    return isBlock(request.method) && asked !== 'latest' && Number(asked) < height ? shown(request) : request;
  };
  const [waiting] = await gateway.pay(1);
  keep(gateway.startLane({ urls: urls(), network }));
  await looks(12);
  expect(await isHalted()).toBe(true);
  expect(await gateway.statuses([waiting!])).toEqual(['pending']);
  expect(proxies.flatMap(({ seen }) => seen)).not.toContain('eth_sendRawTransaction');
});

it('stays halted while one endpoint serves two chains in turn', async () => {
  await replaceBlocks();
  const proxy = proxies[1]!;
  const shown = proxies[0]!.rewrite!;
  proxies[0]!.rewrite = null;
  proxy.rewrite = (request) => (proxy.exchanges.length % 2 === 0 ? shown(request) : request);
  for (let times = 0; times < 12; times += 1) {
    await looks(1);
    expect(await isHalted()).toBe(true);
  }
});

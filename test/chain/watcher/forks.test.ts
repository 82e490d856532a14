import type { WatchTiming } from '../../../chain/watcher/context.ts';
import { eventually } from '../../support/eventually.ts';
import { stopAfterEach } from '../support/running.ts';
import { forgedHash, useStillChain } from '../support/still-chain.ts';

/*
 * Reorganisations while one endpoint of three lies, with a quorum of two: the network is neither halted nor stopped, and the stored blocks
 * are those of the others.
 */

const own = useStillChain();
const { cursor, tip, mine } = own;
const keep = stopAfterEach();

const halts = () => own.gateway.knex('alerts').where({ kind: 'network_halted' });
const isBeyond = async (height: number): Promise<boolean> => Number((await cursor())?.number) > height;

const watch = (timing: Partial<WatchTiming> = {}) =>
  keep(
    own.gateway.startWatcher({
      urls: own.proxies.map(({ url }) => url),
      watch: { halted: 200, logsIdle: 100, ...timing },
      network: { quorum: 2, confirmations: 1 },
    }),
  );

/** Mines blocks one by one, each of which the watcher stores. */
const follow = async (blocks: number): Promise<void> => {
  for (let made = 0; made < blocks; made += 1) {
    await mine();
    const height = await tip();
    await eventually(() => isBeyond(height - 1));
  }
};

/** Replaces the newest block, and makes one more. */
const reorganise = async (): Promise<void> => {
  await own.gateway.rpc.call('anvil_reorg', [1, []]);
  await mine();
};

type Block = { readonly number: string; readonly hash: string; readonly parentHash: string };

/** Changes the blocks of the first endpoint by their numbers; its newest one is higher by two. */
const forge = (change: (block: Block, number: number) => object): void => {
  own.proxies[0]!.tamper = ({ method, params }, result) => {
    if (method !== 'eth_getBlockByNumber' || result === null) return result;
    const block = result as Block;
    if (params[0] !== 'latest') return change(block, Number(params[0]));
    const number = Number(block.number) + 2;
    return { ...block, number: `0x${number.toString(16)}`, hash: forgedHash(number) };
  };
};

it.each([0, 1])('with other blocks below the reorganisation; a block each %d s', async (every) => {
  watch();
  await follow(6);
  const height = await tip();
  await reorganise();
  forge((block, number) => (number > 0 && number < height ? { ...block, hash: forgedHash(number) } : block));
  if (every > 0) await own.gateway.rpc.call('evm_setIntervalMining', [every]);
  await eventually(() => isBeyond(height), 20_000);
  expect(await halts()).toEqual([]);
});

it.each(['refuses older blocks', 'is silent about older blocks', 'has a block that does not fit to its parent'])(
  'while the endpoint with the highest tip %s',
  async (how) => {
    watch();
    await follow(6);
    const height = await tip();
    await reorganise();
    forge((block, number) =>
      how.startsWith('has') && number === height ? { ...block, parentHash: forgedHash(0) } : block,
    );
    const answer = how.startsWith('refuses')
      ? { error: { code: -32_000, message: 'block is not available' } }
      : { result: null };
    if (!how.startsWith('has'))
      own.proxies[0]!.rewrite = (request) => {
        const number = Number(request.params[0]);
        return request.method === 'eth_getBlockByNumber' && number > 0 && number < height ? answer : request;
      };
    await eventually(() => isBeyond(height), 20_000);
    expect(await halts()).toEqual([]);
  },
);

it('reaches no deeper because of invented blocks, of which none is stored', async () => {
  // An idle network asks several endpoints seldom whether a block is confirmed.
  watch({ comparedIdle: 0 });
  await follow(12);
  const height = await tip();
  const first = height - 6;
  await reorganise();
  own.proxies[0]!.rewrite = (request) => {
    const [filter] = request.params as [{ blockHash?: string }];
    return request.method === 'eth_getLogs' && filter.blockHash?.startsWith('0xabab') ? { result: [] } : request;
  };
  forge((block, number) => {
    if (number < first || number > height) return block;
    const parentHash = number === first ? block.parentHash : forgedHash(number - 1);
    return { ...block, hash: number < height ? forgedHash(number) : block.hash, parentHash };
  });
  await eventually(() => isBeyond(height), 20_000);
  const stored = await own.gateway.knex('block_headers').where('number', '>=', first).pluck('hash');
  expect(stored.filter((hash: string) => hash.startsWith('0xabab'))).toEqual([]);
  const alerts = await own.gateway.knex('alerts').where({ kind: 'deep_reorganisation' });
  expect(alerts.map(({ data }: { data: { depth: number } }) => data.depth)).toEqual([1]);
});

it('a new network whose newest block is reorganised away follows its chain', async () => {
  await mine();
  watch();
  const height = await tip();
  await eventually(() => isBeyond(height - 1));
  await reorganise();
  await eventually(() => isBeyond(height), 20_000);
  expect(await halts()).toEqual([]);
});

it('an endpoint that starts over does not halt the network', async () => {
  watch({ compared: 3_600_000, comparedIdle: 3_600_000 });
  await follow(3);
  own.proxies[0]!.rewrite = (request) => {
    if (request.method !== 'eth_getBlockByNumber') return request;
    const [asked] = request.params as [string];
    if (asked === 'latest') return { ...request, params: ['0x0', false] };
    return Number(asked) > 0 ? { result: null } : request;
  };
  const seen = own.proxies[1]!.exchanges.length;
  await eventually(() => own.proxies[1]!.exchanges.length > seen + 6);
  expect(await halts()).toEqual([]);
});

it('the leading endpoint invents one block and has no logs of it', async () => {
  watch();
  await follow(3);
  const invented = (await tip()) + 1;
  own.proxies[0]!.tamper = ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && Number(params[0]) === invented && result !== null
      ? { ...(result as object), hash: forgedHash(invented) }
      : result;
  await own.gateway.pay(1);
  for (let made = 0; made < 4; made += 1) await mine();
  await eventually(() => isBeyond(invented), 20_000);
  expect(await halts()).toEqual([]);
});

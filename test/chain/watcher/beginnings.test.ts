import { eventually } from '../../support/eventually.ts';
import { stopAfterEach } from '../support/running.ts';
import { forgedHash, useStillChain } from '../support/still-chain.ts';

/* One endpoint of three halts the network, or keeps it from beginning, with a quorum of two. */

const own = useStillChain({ confirmations: 3 });
const { cursor, tip, mine } = own;
const keep = stopAfterEach();

beforeEach(async () => {
  await own.gateway.rpc.call('anvil_mine', ['0x8']);
});
const halts = () => own.gateway.knex('alerts').where({ kind: 'network_halted' });
const isBeyond = async (height: number): Promise<boolean> => Number((await cursor())?.number) > height;

const watch = (troubles: string[] = [], compared = 500) =>
  keep(
    own.gateway.startWatcher({
      urls: own.proxies.map(({ url }) => url),
      watch: { halted: 200, logsIdle: 100, compared, comparedIdle: compared },
      network: { quorum: 2, confirmations: 3 },
      report: ({ endpoint, reason }) => troubles.push(`${endpoint}: ${reason}`),
    }),
  );

/** Replaces the newest block, and makes one more. */
const reorganise = async (): Promise<void> => {
  await own.gateway.rpc.call('anvil_reorg', [1, []]);
  await mine();
};

it('one endpoint of another chain does not halt the network, at a restart while the others limit the rate of requests for logs', async () => {
  own.proxies[2]!.rewrite = (request) => (request.method === 'eth_chainId' ? { result: '0x999' } : request);
  const first = watch();
  await mine();
  await eventually(async () => isBeyond((await tip()) - 1));
  await first.stop();
  // Something is under way.
  await own.gateway.pay(1);
  for (const proxy of own.proxies.slice(0, 2))
    proxy.rewrite = (request) =>
      request.method === 'eth_getLogs' ? { error: { code: -32_005, message: 'rate limit exceeded' } } : request;
  const logs = (): number => own.proxies[0]!.seen.filter((method) => method === 'eth_getLogs').length;
  const before = logs();
  const troubles: string[] = [];
  watch(troubles);
  await eventually(() => logs() > before + 1);
  const looks = own.proxies[0]!.exchanges.length;
  await eventually(() => own.proxies[0]!.exchanges.length > looks + 2);
  const said = (await halts()).map(({ message }: { message: string }) => message);
  expect({ halts: said, troubles }).toMatchObject({ halts: [] });
});

it('a new network begins although the leading endpoint of three has pruned older blocks, and refuses them', async () => {
  const newest = await tip();
  own.proxies[0]!.rewrite = (request) => {
    const number = Number(request.params[0]);
    return request.method === 'eth_getBlockByNumber' && number > 0 && number < newest
      ? { error: { code: 4_444, message: 'pruned history unavailable' } }
      : request;
  };
  const troubles: string[] = [];
  watch(troubles);
  const said = await eventually(() => isBeyond(newest - 1), 20_000).catch((error: Error) => error.message);
  const alerts = await own.gateway.knex('alerts').pluck('message');
  expect({ said, alerts, troubles }).toMatchObject({ said: true });
});

it('a new network follows a reorganisation of its newest block although the leading endpoint of three lacked older blocks', async () => {
  const newest = await tip();
  own.proxies[0]!.rewrite = (request) => {
    const number = Number(request.params[0]);
    return request.method === 'eth_getBlockByNumber' && number > 0 && number < newest ? { result: null } : request;
  };
  watch();
  await eventually(() => isBeyond(newest - 1));
  const stored = await own.gateway.knex('block_headers').count('*').first();
  own.proxies[0]!.rewrite = null;
  await reorganise();
  await eventually(async () => (await isBeyond(newest)) || (await halts()).length > 0);
  const messages = (await halts()).map(({ message }: { message: string }) => message);
  expect({ messages, stored }).toMatchObject({ messages: [] });
});

it('a new network follows a reorganisation of its newest block although the leading endpoint of three invented the blocks below it', async () => {
  const newest = await tip();
  // It tells the truth while it is compared with the others.
  let truths = 2;
  own.proxies[0]!.tamper = ({ method, params }, result) => {
    if (method !== 'eth_getBlockByNumber' || result === null || params[0] === '0x0') return result;
    truths -= 1;
    if (truths >= 0) return result;
    const block = result as { number: string; hash: string; parentHash: string };
    const number = Number(block.number);
    if (number < newest - 3 || number > newest) return result;
    return {
      ...block,
      hash: number < newest ? forgedHash(number) : block.hash,
      parentHash: number === newest - 3 ? block.parentHash : forgedHash(number - 1),
    };
  };
  own.proxies[0]!.rewrite = (request) => {
    const [filter] = request.params as [{ blockHash?: string }];
    return request.method === 'eth_getLogs' && filter.blockHash?.startsWith('0xabab') ? { result: [] } : request;
  };
  watch([], 3_600_000);
  await eventually(() => isBeyond(newest - 1));
  const stored = await own.gateway.knex('block_headers').orderBy('number').pluck('hash');
  Object.assign(own.proxies[0]!, { tamper: null, rewrite: null });
  await reorganise();
  await eventually(async () => (await isBeyond(newest)) || (await halts()).length > 0);
  const messages = (await halts()).map(({ message }: { message: string }) => message);
  expect({ messages, stored }).toMatchObject({ messages: [] });
});

import { eventually } from '../../support/eventually.ts';
import { stopAfterEach } from '../support/running.ts';
import { forgedHash, useStillChain } from '../support/still-chain.ts';

/* Two of four endpoints are on another fork, whose newest block is one higher. The quorum is two, and there is no majority. */

const own = useStillChain({ endpoints: 4 });
const { cursor, tip } = own;
const keep = stopAfterEach();

const hexOf = (number: number): string => `0x${number.toString(16)}`;

it('stored blocks are not removed by half of the endpoints', async () => {
  const said: string[] = [];
  keep(
    own.gateway.startWatcher({
      urls: own.proxies.map(({ url }) => url),
      watch: { logsIdle: 100 },
      network: { quorum: 2, confirmations: 1 },
      log: { debug: () => {}, info: () => {}, error: () => {}, warn: (text) => void said.push(text) },
    }),
  );
  for (let made = 0; made < 6; made += 1) {
    await own.gateway.rpc.call('anvil_mine', ['0x1']);
    await eventually(async () => Number((await cursor())?.number) === (await tip()));
  }
  const height = await tip();
  const parent = (await own.gateway.rpc.call('eth_getBlockByNumber', [hexOf(height - 1), false])) as { hash: string };
  const real = (await own.gateway.rpc.call('eth_getBlockByNumber', [hexOf(height), false])) as { hash: string };
  const other = (number: number): object => ({
    ...real,
    number: hexOf(number),
    hash: forgedHash(number),
    parentHash: number === height ? parent.hash : forgedHash(number - 1),
  });
  for (const proxy of own.proxies.slice(0, 2))
    proxy.rewrite = (request) => {
      const [asked] = request.params as [string | { blockHash?: string }];
      if (request.method === 'eth_getLogs' && (asked as { blockHash?: string }).blockHash?.startsWith('0xabab'))
        return { result: [] };
      if (request.method !== 'eth_getBlockByNumber') return request;
      const number = asked === 'latest' ? height + 1 : Number(asked);
      if (number > height + 1) return { result: null };
      return number >= height ? { result: other(number) } : request;
    };
  const seen = own.proxies.map(({ exchanges }) => exchanges.length);
  await eventually(() => own.proxies.every(({ exchanges }, place) => exchanges.length > seen[place]! + 6));
  const [stored] = await own.gateway.knex('block_headers').where({ number: height }).pluck('hash');
  expect({ stored, said }).toEqual({ stored: real.hash, said: [] });
});

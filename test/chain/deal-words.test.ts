import { readDealWords } from '../../chain/deal-words.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import type { Chain } from '../../tools/stack/chain.ts';
import { startTestChain } from '../support/chain.ts';
import { hex } from '../support/fixtures.ts';
import { startProxy, type Proxy } from './support/proxy.ts';

let chain: Chain;
let proxy: Proxy;

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startProxy(chain.url);
});
afterAll(async () => {
  await proxy.close();
  await chain.stop();
});

it('words count only from an endpoint that has the very block at its number', async () => {
  const rpc = createRpc({ urls: [proxy.url], eip155: chain.chainId });
  const { hash } = (await rpc.call('eth_getBlockByNumber', ['0x0', false])) as { hash: string };
  const read = () =>
    readDealWords({ rpc, quorum: 1, batcher: hex(20) }, [{ diamond: hex(20), dealId: 1n }], { number: 0, hash });
  expect((await read()).timestamp).toEqual(expect.any(Number));
  // It still serves the state of the block, which it has taken back.
  proxy.tamper = ({ method }, result) =>
    method === 'eth_getBlockByNumber' ? { ...(result as object), hash: hex(32) } : result;
  expect(await read()).toMatchObject({ timestamp: undefined, words: [undefined] });
});

import { checkNetwork } from '../../../chain/deploy/network-check.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { createRpc } from '../../../chain/rpc/rpc.ts';
import { devAccounts } from '../../../tools/stack/accounts.ts';
import { deployTestToken } from '../../../tools/stack/tokens.ts';
import type { Chain } from '../../../tools/stack/chain.ts';
import type { NetworkQuestion } from '../../../domain/ports/network-check.ts';
import { startTestChain } from '../../support/chain.ts';
import { hex } from '../../support/fixtures.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';

/*
 * The findings of a network's check about an endpoint that lacks something.
 */

let chain: Chain;
let proxy: Proxy;
let claim: NetworkQuestion;

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startProxy(chain.url);
  claim = {
    name: 'net',
    eip155: chain.chainId,
    rpcUrls: [chain.url, proxy.url],
    quorum: 2,
    confirmations: 3,
    tokens: [],
    platform: { firstRoot: hex(20), approvalDelay: 0n, id: hex(32) },
  };
});
beforeEach(() => Object.assign(proxy, { rewrite: null, tamper: null, mode: 'pass' }));
afterAll(async () => {
  await proxy.close();
  await chain.stop();
});

const refuse = (matches: (request: WireRequest) => boolean): void => {
  proxy.rewrite = (request) =>
    matches(request) ? { error: { code: -32_000, message: 'missing trie node' } } : request;
};
const second = 'net: RPC endpoint 2 of 2';

it('an endpoint that serves everything needed passes', async () => {
  expect(await checkNetwork(claim)).toMatchObject({ problems: [], warnings: [] });
});

it('an endpoint that keeps less state than the confirmations need is a problem', async () => {
  refuse(({ method, params }) => method === 'eth_call' && typeof params[1] === 'object');
  const { problems } = await checkNetwork(claim);
  expect(problems).toEqual([expect.stringContaining(`${second} does not keep the state`)]);
  expect(problems.join()).toContain('3 confirmations');
});

it('an endpoint without eth_getBlockReceipts is a warning', async () => {
  refuse(({ method }) => method === 'eth_getBlockReceipts');
  const { problems, warnings } = await checkNetwork(claim);
  expect(problems).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(`${second} has no eth_getBlockReceipts`)]);
});

it('an endpoint that takes no batches is a warning', async () => {
  proxy.mode = 'single';
  const { problems, warnings } = await checkNetwork(claim);
  expect(problems).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(`${second} accepts no batches`)]);
});

it('an endpoint of another chain, and one that returns nonsense, are problems', async () => {
  proxy.rewrite = (request) => (request.method === 'eth_chainId' ? { result: '0x1' } : request);
  expect((await checkNetwork(claim)).problems).toEqual([`${second} serves chain 1, not ${chain.chainId}`]);
  proxy.rewrite = () => ({ result: {} });
  expect((await checkNetwork(claim)).problems).toHaveLength(1);
});

it('a silent endpoint is a warning where the network has it already, and otherwise a problem', async () => {
  proxy.mode = 'refuse';
  const said = [expect.stringContaining(`${second} does not answer`)];
  expect(await checkNetwork(claim)).toMatchObject({ problems: said, warnings: [] });
  const known = { ...claim, quorum: 1, known: { rpcUrls: claim.rpcUrls, tokens: [] } };
  expect(await checkNetwork(known)).toMatchObject({ problems: [], warnings: said, hasRegistry: false });
});

it('silence of all endpoints of a network is a warning, and a new or changed token there a problem', async () => {
  proxy.mode = 'refuse';
  const address = '0x0000000000000000000000000000000000000c0c';
  const token = { symbol: 'USD', address, decimals: 6 };
  const alone = { ...claim, rpcUrls: [proxy.url], tokens: [token] };
  const facts = await checkNetwork({ ...alone, known: { rpcUrls: [proxy.url], tokens: [{ address, decimals: 6 }] } });
  expect(facts).toEqual({
    genesisHash: null,
    problems: [],
    warnings: [expect.stringContaining('does not answer'), expect.stringContaining('so it was not checked')],
  });
  const problem = `${claim.name}: USD at ${address} is new or changed, and no endpoint responds to verify it`;
  for (const tokens of [[], [{ address, decimals: 18 }]]) {
    const { problems } = await checkNetwork({ ...alone, known: { rpcUrls: [proxy.url], tokens } });
    expect(problems).toEqual([problem]);
  }
});

describe('permits of a token', () => {
  const symbol = 'USD';
  const token = { name: 'Dollar', symbol, decimals: 6 };
  const domain = { name: token.name, version: '1' };
  let address: string;
  const problemsOf = async (permit: object): Promise<readonly string[]> => {
    const tokens = [{ symbol, address, decimals: 6, permit: { ...domain, ...permit } }];
    return (await checkNetwork({ ...claim, tokens })).problems;
  };

  beforeAll(async () => {
    const signer = createKeySigner(devAccounts.buyer.privateKey);
    address = await deployTestToken(
      createRpc({ urls: [chain.url], eip155: chain.chainId }),
      signer,
      chain.chainId,
      token,
    );
  });

  it('pass with the domain that the token has on this chain', async () => {
    expect(await problemsOf({})).toEqual([]);
  });

  it.each([{ name: 'dollar' }, { version: '2' }])('with another domain are a problem: %j', async (other) => {
    const { name, version } = { ...domain, ...other };
    const where = `net: USD at ${address}`;
    const words = `has permits of another domain than name "${name}" and version "${version}" on this chain`;
    expect(await problemsOf(other)).toEqual([`${where} ${words}`]);
  });

  it.each([
    ['DOMAIN_SEPARATOR', '0x3644e515', null, 'has no permits (EIP-2612)'],
    ['nonces', '0x7ecebe00', null, 'has no permits (EIP-2612)'],
    [
      'PERMIT_TYPEHASH',
      '0x30adf81f',
      `0xea2aa0a1be11a07ed86d755c93467f4f82362b452371d1ba94d1715123511acb`,
      'of another kind',
    ],
  ])('of a token whose %s differs from EIP-2612 are a problem', async (_, selector, result, words) => {
    const revert = { error: { code: 3, message: 'execution reverted', data: '0x' } };
    proxy.rewrite = (request) => {
      const [call] = request.params as [{ data?: string }];
      if (request.method !== 'eth_call' || !call.data?.startsWith(selector)) return request;
      return result === null ? revert : { result };
    };
    const tokens = [{ symbol, address, decimals: 6, permit: domain }];
    const { problems } = await checkNetwork({ ...claim, rpcUrls: [proxy.url], tokens });
    expect(problems).toEqual([expect.stringContaining(words)]);
    expect(
      await checkNetwork({ ...claim, rpcUrls: [proxy.url], tokens: [{ ...tokens[0]!, permit: null }] }),
    ).toMatchObject({
      problems: [],
    });
  });

  it('that are new or changed are a problem while no endpoint responds', async () => {
    proxy.mode = 'refuse';
    const ask = async (known: object | null, permit: object | null) => {
      const of = (own: object | null) => [{ symbol, address, decimals: 6, permit: own as typeof domain | null }];
      const question = { ...claim, rpcUrls: [proxy.url], known: { rpcUrls: [proxy.url], tokens: of(known) } };
      return (await checkNetwork({ ...question, tokens: of(permit) })).problems.length;
    };
    expect(await ask(domain, { ...domain })).toBe(0);
    expect(await ask(null, domain)).toBe(1);
    expect(await ask(domain, { ...domain, version: '2' })).toBe(1);
  });
});

it('one endpoint alone vouches for no token and no registry', async () => {
  const token = hex(20);
  proxy.tamper = ({ method }, result) => {
    if (method === 'eth_getCode') return '0x60';
    return method === 'eth_call' ? `0x${'6'.padStart(64, '0')}` : result;
  };
  const tokens = [{ symbol: 'USD', address: token, decimals: 6 }];
  const other = await startProxy(chain.url);
  const facts = await checkNetwork({ ...claim, rpcUrls: [proxy.url, chain.url, other.url], tokens });
  await other.close();
  expect(facts).toMatchObject({
    problems: [`net: no contract at ${token} (USD)`],
    hasRegistry: false,
  });
});

it('fewer endpoints that respond than must agree are a warning', async () => {
  const silent = 'http://127.0.0.1:1';
  const rpcUrls = [chain.url, silent];
  const { problems, warnings } = await checkNetwork({ ...claim, rpcUrls, known: { rpcUrls, tokens: [] } });
  expect(problems).toEqual([]);
  expect(warnings).toContain('net: 1 of 2 endpoints respond, and 2 must agree: nothing is judged until more respond');
});

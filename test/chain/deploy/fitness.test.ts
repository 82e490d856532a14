import { Transaction } from 'ethers';
import { LARGEST_DEPLOYMENT, undeployable, unfitness } from '../../../chain/deploy/fitness.ts';
import { checkNetwork } from '../../../chain/deploy/network-check.ts';
import { planNetwork, prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { feesNow } from '../../../chain/deploy/send-calls.ts';
import { quantity } from '../../../chain/rpc/calls.ts';
import { createRpc } from '../../../chain/rpc/rpc.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { USUAL_TIP } from '../../../chain/signing/fees.ts';
import { devAccounts } from '../../../tools/stack/accounts.ts';
import { rpc as ask, type Chain } from '../../../tools/stack/chain.ts';
import { startTestChain } from '../../support/chain.ts';
import { hex } from '../../support/fixtures.ts';
import { refusal } from '../support/data-chains.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';

/*
 * Chains on which Carat cannot work are refused by name, before anything is sent; and commands find their fees on chains with other
 * methods than Ethereum's.
 */

const gwei = 10n ** 9n;
const { root, guardian, operator, upgrader } = devAccounts as unknown as Record<
  string,
  { readonly address: string; readonly privateKey: string }
>;
const platform = () => ({ firstRoot: root!.address.toLowerCase(), approvalDelay: 0n, id: hex(32) });

let chain: Chain;
let proxy: Proxy;
beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startProxy(chain.url);
});
beforeEach(() => {
  Object.assign(proxy, { rewrite: null, tamper: null, target: chain.url });
  proxy.seen.length = 0;
});
afterAll(async () => {
  await proxy.close();
  await chain.stop();
});

const client = () => createRpc({ urls: [proxy.url], eip155: chain.chainId });

const preparation = () => ({
  network: {
    name: 'net',
    eip155: chain.chainId,
    quorum: 1,
    confirmations: 1,
    platform: platform(),
    root: root!.address.toLowerCase(),
    guardian: guardian!.address.toLowerCase(),
  },
  rpc: client(),
  rootSigner: createKeySigner(root!.privateKey),
  operators: [operator!.address],
  upgraders: [upgrader!.address],
});

const claim = (known = false) => ({
  name: 'net',
  eip155: chain.chainId,
  rpcUrls: [proxy.url],
  quorum: 1,
  confirmations: 1,
  tokens: [],
  platform: platform(),
  ...(known ? { known: { rpcUrls: [proxy.url], tokens: [] } } : {}),
});

/** Changes every header that the endpoint shows; null removes a field. */
const showHeaders = (change: (header: Record<string, unknown>) => Record<string, unknown>): void => {
  proxy.tamper = ({ method }, result) => {
    if (method !== 'eth_getBlockByNumber' || result === null) return result;
    const header = { ...(result as Record<string, unknown>), ...change(result as Record<string, unknown>) };
    return Object.fromEntries(Object.entries(header).filter(([, value]) => value !== null));
  };
};

const answerErrors = (errors: Readonly<Record<string, string>>) => (request: WireRequest) => {
  const message = errors[request.method];
  return message === undefined ? request : { error: { code: -32_601, message } };
};

/** Expects that a preparation, its plan and the check of the catalogue name the fault, and that nothing is sent. */
const expectRefused = async (words: RegExp): Promise<void> => {
  await expect(planNetwork(preparation())).rejects.toThrow(words);
  await expect(prepareNetwork(preparation())).rejects.toThrow(words);
  expect((await checkNetwork(claim())).problems.join()).toMatch(words);
  expect(proxy.seen).not.toContain('eth_sendRawTransaction');
};

describe('a chain is refused by name before anything is sent', () => {
  it('where its blocks have no base fee', async () => {
    showHeaders(() => ({ baseFeePerGas: null }));
    await expectRefused(/net.*blocks without a base fee.*EIP-1559, type 2/);
  });

  it('where its blocks have no room for the largest deployment', async () => {
    showHeaders(() => ({ gasLimit: quantity(2_000_000) }));
    await expectRefused(/net: a block has 2,000,000 gas, and the deployment of the registry needs 2,\d{3},\d{3}/);
  });

  it.each([
    ['is of the year 1970', 0],
    ['is of a year to come', Date.now() / 1_000 + 400 * 86_400],
  ])('where its newest block %s', async (_, seconds) => {
    await ask(chain.url, 'evm_mine');
    showHeaders(({ number }) => (Number(number) > 0 ? { timestamp: quantity(Math.floor(seconds)) } : {}));
    await expectRefused(/has a newest block of (1970|20\d\d)-/);
  });
});

it('a network that Carat works on already is warned of and not refused', async () => {
  showHeaders(() => ({ baseFeePerGas: null }));
  const { problems, warnings } = await checkNetwork(claim(true));
  expect(warnings).toEqual([expect.stringContaining('blocks without a base fee')]);
  // Without the registry nothing runs there yet.
  expect(problems).toEqual([expect.stringContaining('blocks without a base fee')]);
});

it('small blocks that take turns with large ones, and limits beyond 2^53, are no fault', async () => {
  const tip = Number(await ask(chain.url, 'eth_blockNumber'));
  showHeaders(({ number }) => (Number(number) === tip ? { gasLimit: quantity(2_000_000) } : {}));
  expect(await undeployable(client())).toBeNull();
  showHeaders(() => ({ gasLimit: quantity(2n ** 63n) }));
  expect(await undeployable(client())).toBeNull();
});

it('one endpoint of three cannot have a chain refused', async () => {
  showHeaders(() => ({ baseFeePerGas: null, gasLimit: '0x1' }));
  const rpc = createRpc({ urls: [proxy.url, chain.url, chain.url], eip155: chain.chainId });
  expect(await undeployable(rpc)).toBeNull();
});

it.each([
  [{ number: '0x0', timestamp: '0x0', baseFeePerGas: '0x0' }, 0],
  [{ number: '0x5', timestamp: quantity(1_000_000), baseFeePerGas: '0x0' }, 0],
  [{ number: '0x5', timestamp: quantity(1_000_000 + 3_600), baseFeePerGas: '0x7' }, 0],
  [{ number: '0x5', timestamp: '0x0', baseFeePerGas: '0x7' }, 1],
  [{ number: '0x5', timestamp: quantity(1_000_000) }, 1],
  [{ number: '0x5', timestamp: quantity(1_000_000), baseFeePerGas: null }, 1],
])('a header %j has %d faults a day from the year 1970', (header, count) => {
  expect(unfitness({ gasLimit: '0x1c9c380', ...header }, 1_000_000)).toHaveLength(count);
});

it('gas limits stay within that of a block, so blocks with room for the largest deployment suffice', async () => {
  const room = LARGEST_DEPLOYMENT + 60_000n;
  showHeaders(() => ({ gasLimit: quantity(room) }));
  const limits: bigint[] = [];
  proxy.rewrite = (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    limits.push(Transaction.from(request.params[0] as string).gasLimit);
    return refusal('enough');
  };
  await expect(prepareNetwork(preparation())).rejects.toThrow('enough');
  expect(limits).toContain(room);
  expect(limits.filter((limit) => limit > room)).toEqual([]);
});

it.each([
  'transaction type not supported',
  'invalid transaction type',
  'typed transaction too short',
  'EIP-1559 transactions are not supported',
  'InvalidTxType: Transaction type in EIP1559 is not supported',
  'TypeNotActivated',
  'TRANSACTION_TYPE_NOT_SUPPORTED',
  'rlp: expected input list for types.txdata',
  'only legacy transactions are accepted',
])('a pool that refuses all our transactions by "%s" is named as one without EIP-1559', async (words) => {
  proxy.rewrite = (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    return Transaction.from(request.params[0] as string).type === 2 ? refusal(words) : request;
  };
  await expect(prepareNetwork(preparation())).rejects.toThrow(
    `the chain takes no transactions of type 2 (EIP-1559), and Carat sends no others: ${words}`,
  );
});

describe('the fees of a command', () => {
  const tipOf = async (): Promise<bigint> => (await feesNow(client())).fees.maxPriorityFeePerGas;
  const noTip = { eth_maxPriorityFeePerGas: 'the method eth_maxPriorityFeePerGas does not exist/is not available' };

  it('have the gas price without the base fee as their tip where no endpoint suggests one', async () => {
    showHeaders(() => ({ baseFeePerGas: quantity(6n * gwei) }));
    proxy.rewrite = (request) =>
      request.method === 'eth_gasPrice' ? { result: quantity(31n * gwei) } : answerErrors(noTip)(request);
    expect(await tipOf()).toBe(25n * gwei);
    // A pool that wants this tip takes what a preparation sends.
    const wanted = proxy.rewrite;
    proxy.rewrite = (request) => {
      if (request.method !== 'eth_sendRawTransaction') return wanted(request);
      const { maxPriorityFeePerGas: tip } = Transaction.from(request.params[0] as string);
      return tip! >= 25n * gwei ? request : refusal(`transaction gas price below minimum: gas tip cap ${tip}`);
    };
    await expect(prepareNetwork(preparation())).resolves.toMatchObject({ rootCalls: [] });
  });

  it('have a usual tip where the gas price is below the base fee, or there is none', async () => {
    proxy.rewrite = (request) => (request.method === 'eth_gasPrice' ? { result: '0x0' } : answerErrors(noTip)(request));
    expect(await tipOf()).toBe(USUAL_TIP);
    proxy.rewrite = answerErrors({ ...noTip, eth_gasPrice: 'unsupported method' });
    expect(await tipOf()).toBe(USUAL_TIP);
  });

  it('are the tip alone on a chain without base fees, and nothing on one that is free', async () => {
    showHeaders(() => ({ baseFeePerGas: null }));
    proxy.rewrite = (request) => (request.method === 'eth_maxPriorityFeePerGas' ? { result: quantity(gwei) } : request);
    expect(await feesNow(client())).toEqual({ price: gwei, fees: { maxFeePerGas: gwei, maxPriorityFeePerGas: gwei } });
    showHeaders(() => ({ baseFeePerGas: '0x0' }));
    proxy.rewrite = (request) => (request.method === 'eth_maxPriorityFeePerGas' ? { result: '0x0' } : request);
    expect(await feesNow(client())).toEqual({ price: 0n, fees: { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n } });
  });
});

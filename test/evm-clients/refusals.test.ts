import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';
import type { RpcRequest } from '../../chain/rpc/requests.ts';
import type { RpcError } from '../../chain/rpc/error.ts';
import { classifySend, type SendClass } from '../../chain/rpc/send-errors.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import type { Chain } from '../../tools/stack/chain.ts';
import { eventually } from '../support/eventually.ts';
import { startTestChain, startTestGeth, startTestHardhat } from '../support/chain.ts';

/*
 * The table of refusals has the errors of running clients, for requests and for transactions.
 */

const signer = createKeySigner(devAccounts.root.privateKey);
const poor = createKeySigner(`0x${'77'.repeat(32)}`);
const flags = ['--rpc.rangelimit', '2', '--rpc.txfeecap', '1'];
const clients: [string, () => Promise<Chain>][] = [
  ['geth', () => startTestGeth(31_337, 'osaka', { flags })],
  ["Hardhat's node", () => startTestHardhat(31_337, 'osaka')],
  ['anvil', () => startTestChain({ blockTime: 1 })],
];

describe.each(clients)('%s', (name, start) => {
  let chain: Chain;
  let rpc: Rpc;
  beforeAll(async () => {
    chain = await start();
    rpc = createRpc({ urls: [chain.url], eip155: 31_337 });
  });
  afterAll(() => chain?.stop());

  const errorOf = async (request: RpcRequest): Promise<RpcError> => {
    const [outcome] = (await rpc.batch([request])).outcomes;
    if (!outcome || outcome.ok) throw new Error(`${request.method} was answered`);
    return outcome.error;
  };

  it('names a missing method', async () => {
    expect((await errorOf({ method: 'eth_nothing' })).refusal).toBe('method');
  });

  it('names a missing block', async () => {
    const params = [{ to: signer.address, data: '0x' }, { blockHash: `0x${'12'.repeat(32)}` }];
    expect((await errorOf({ method: 'eth_call', params })).refusal).toBe('history');
  });

  type Unsigned = Parameters<typeof signer.sign>[0];
  const usual = { eip155: 31_337, nonce: 0, to: signer.address, data: '0x', value: 0n, gasLimit: 21_000n };
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
  const send = async (change: Partial<Unsigned>, from = signer): Promise<SendClass> => {
    const nonce = Number(await rpc.call('eth_getTransactionCount', [from.address, 'latest']));
    const { raw } = await from.sign({ ...usual, nonce, ...fees, ...change });
    const [outcome] = await rpc.send([raw]);
    return classifySend(outcome!);
  };

  it('says why it refuses a transaction', async () => {
    expect(await send({ gasLimit: 20_999n })).toBe('gas_too_low');
    expect(await send({ gasLimit: 100_000_000n, maxFeePerGas: 2n * 10n ** 9n })).toBe('exceeds_block_gas_limit');
    expect(await send({}, poor)).toBe('insufficient_funds');
    expect(await send({})).toBe('sent');
    // In the pool until the next second, or in a block by then.
    expect(['known', 'nonce_too_low']).toContain(await send({ nonce: 0 }));
    expect(['replacement_underpriced', 'nonce_too_low']).toContain(await send({ nonce: 0, value: 1n }));
  });

  if (name === 'geth')
    it('names refusals by its settings', async () => {
      const range = { address: signer.address, fromBlock: '0x0', toBlock: '0x3' };
      await eventually(async () => Number(await rpc.call('eth_blockNumber')) >= 4, 20_000, 200);
      expect((await errorOf({ method: 'eth_getLogs', params: [range] })).refusal).toBe('logs');
      const ahead = { ...range, fromBlock: '0xffff0', toBlock: '0xffff1' };
      expect((await errorOf({ method: 'eth_getLogs', params: [ahead] })).refusal).toBe('history');
      expect(await send({ maxFeePerGas: 10n ** 14n })).toBe('fee_cap');
      expect(await send({ maxPriorityFeePerGas: 0n })).toBe('underpriced');
      expect(await send({ data: `0x${'01'.repeat(1_000)}`, gasLimit: 38_000n })).toBe('gas_too_low');
    });

  if (name === 'anvil')
    it('names a fee below that of the block', async () => {
      await eventually(
        async () => Number(await rpc.call('eth_getTransactionCount', [signer.address, 'latest'])) > 0,
        20_000,
        200,
      );
      expect(await send({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })).toBe('fee_below_base_fee');
    });
});

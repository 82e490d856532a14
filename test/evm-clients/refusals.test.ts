import type { Chain } from '../../tools/stack/chain.ts';
import { eventually } from '../support/eventually.ts';
import { startTestChain, startTestGeth, startTestHardhat } from '../support/chain.ts';
import { refusalsAreUnderstood, signer } from './refusal-words.ts';

/*
 * The table of refusals has the errors of running clients, for requests and for transactions.
 */

const flags = ['--rpc.rangelimit', '2', '--rpc.txfeecap', '1'];
const clients: [string, () => Promise<Chain>][] = [
  ['geth', () => startTestGeth(31_337, 'osaka', { flags })],
  ["Hardhat's node", () => startTestHardhat(31_337, 'osaka')],
  ['anvil', () => startTestChain({ blockTime: 1 })],
];

describe.each(clients)('%s', (name, start) => {
  const { rpc, errorOf, send } = refusalsAreUnderstood(start);

  if (name === 'geth')
    it('names refusals by its settings', async () => {
      const range = { address: signer.address, fromBlock: '0x0', toBlock: '0x3' };
      await eventually(async () => Number(await rpc().call('eth_blockNumber')) >= 4, 20_000, 200);
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
        async () => Number(await rpc().call('eth_getTransactionCount', [signer.address, 'latest'])) > 0,
        20_000,
        200,
      );
      expect(await send({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })).toBe('fee_below_base_fee');
    });
});

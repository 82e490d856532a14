import { rpc } from '../../tools/stack/chain.ts';
import { startTestBsc } from '../support/chain.ts';
import { refusalsAreUnderstood } from '../evm-clients/refusal-words.ts';
import { paymentsWork } from '../evm-clients/scenarios.ts';

/*
 * The whole product on bsc under the rules of BNB Smart Chain, with a base fee of zero and several blocks of one second.
 */

describe('payments', () => {
  const { product } = paymentsWork({ startChain: startTestBsc });

  it('the base fee was zero', async () => {
    const { rpc: url } = product().dev.networks.alpha!;
    const { baseFeePerGas } = (await rpc(url, 'eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string };
    expect(baseFeePerGas).toBe('0x0');
  });
});

describe('refusals', () => {
  refusalsAreUnderstood(() => startTestBsc(31_337));
});

import { rpc } from '../../tools/stack/chain.ts';
import { startTestOpGeth } from '../support/chain.ts';
import { refusalsAreUnderstood } from '../evm-clients/refusal-words.ts';
import { paymentsWork } from '../evm-clients/scenarios.ts';

/*
 * The whole product on op-geth under the rules of OP stack chains, with their fees for data and for the operator.
 */

describe('payments', () => {
  const { product } = paymentsWork({ startChain: (chainId) => startTestOpGeth(chainId) });

  it('the chain took its fees for data and for the operator from each transaction of ours', async () => {
    const hashes = (await product().knex('tx_attempts').distinct('tx_hash').pluck('tx_hash')) as string[];
    const { rpc: url } = product().dev.networks.alpha!;
    const all = await Promise.all(hashes.map((hash) => rpc(url, 'eth_getTransactionReceipt', [hash])));
    const receipts = all.filter((receipt) => receipt !== null) as Record<string, string>[];
    expect(receipts.length).toBeGreaterThan(0);
    for (const { l1Fee, operatorFeeScalar, operatorFeeConstant } of receipts)
      for (const fee of [l1Fee, operatorFeeScalar, operatorFeeConstant]) expect(BigInt(fee!)).toBeGreaterThan(0n);
  });
});

describe('refusals', () => {
  const { send } = refusalsAreUnderstood(() => startTestOpGeth(31_337, ['--txpool.maxtxgas', '16777216']));

  it("names its limit of a transaction's gas", async () => {
    expect(await send({ gasLimit: 20_000_000n, maxFeePerGas: 2n * 10n ** 9n })).toBe('exceeds_block_gas_limit');
  });
});

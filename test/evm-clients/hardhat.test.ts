import { ethers } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { planNetwork, prepareNetwork } from '../../chain/deploy/prepare.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { startTestHardhat } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';
import { alphaAt } from './alpha.ts';
import { paymentsWork } from './scenarios.ts';

/*
 * The whole product on Hardhat's node, which mines alone a block a second, under today's rules and Amsterdam's, which it
 * calls experimental.
 */

describe("Hardhat's node under Osaka's rules", () => {
  const { product, shop, dropSends } = paymentsWork({ startChain: (chainId) => startTestHardhat(chainId, 'osaka') });

  describe('that was set back', () => {
    let node: ethers.JsonRpcProvider;
    beforeAll(() => {
      const { rpc: url, eip155 } = product().dev.networks.alpha!;
      node = new ethers.JsonRpcProvider(url, eip155, { staticNetwork: true, cacheTimeout: -1 });
    });
    afterAll(() => node.destroy());

    /** A payment's log, without the transactions of its deal. */
    const story = async (payment: Payment): Promise<string[]> =>
      (await shop().merchant.logs(payment.id))
        .map(({ event_type: type }) => type)
        .filter((type) => !type.startsWith('transaction_'));
    const told = (payment: Payment, event: string): Promise<boolean> =>
      eventually(
        async () => {
          const events = await story(payment);
          if (!events.includes(event)) throw new Error(`no ${event} in ${events.join()}`);
          return true;
        },
        45_000,
        100,
      );

    const tip = async (): Promise<number> => Number(await node.send('eth_blockNumber', []));
    /**
     * Replaces all blocks since the snapshot, deep enough for a judgement, and waits until the payment's log has it. Until then no
     * block has what lanes send again, else the judgement may find nothing lost.
     */
    const setBack = async (snapshot: string, payment: Payment, event: string): Promise<void> => {
      dropSends(true);
      await node.send('evm_setIntervalMining', [0]);
      const last = await tip();
      expect(await node.send('evm_revert', [snapshot])).toBe(true);
      // One by one: hardhat_mine links no blocks from the eighth on.
      while ((await tip()) < last + 3) await node.send('evm_mine', []);
      await told(payment, event);
      dropSends(false);
      await node.send('evm_setIntervalMining', [1_000]);
    };

    it('loses the deal of a payable payment: it is pending, and can be paid again', async () => {
      const before = (await node.send('evm_snapshot', [])) as string;
      const payment = await shop().create('alpha');
      await shop().reached(payment, 'awaiting_payment');
      await setBack(before, payment, 'deal_reorged');
      const hash = await shop().pay('alpha', payment);
      expect(await shop().reached(payment, 'completed')).toMatchObject({ transaction_hash: hash });
      expect(await story(payment)).toEqual([
        'payment_created',
        'deal_confirmed',
        'deal_reorged',
        'deal_confirmed',
        'payment_detected',
        'payment_confirmed',
      ]);
    });

    it('loses a completed payment: alerts report the loss and the return', async () => {
      const before = (await node.send('evm_snapshot', [])) as string;
      const payment = await shop().create('alpha');
      const hash = await shop().pay('alpha', payment);
      await shop().reached(payment, 'completed');
      const sent = ethers.Transaction.from((await node.getTransaction(hash))!);
      await setBack(before, payment, 'payment_reversed');
      // Its deal comes back by the transaction that created it.
      await eventually(() => node.call({ from: sent.from, to: sent.to, data: sent.data, value: sent.value }), 45_000);
      expect((await node.broadcastTransaction(sent.serialized)).hash).toBe(hash);
      expect(await eventually(() => node.getTransactionReceipt(hash), 45_000)).toMatchObject({ status: 1 });
      await told(payment, 'payment_anomaly');
      expect(await shop().merchant.payment(payment.id)).toMatchObject({ status: 'completed', transaction_hash: hash });
      const alerts = await product()
        .knex('alerts')
        .where({ payment_id: payment.id })
        .orderBy('created_at')
        .pluck('kind');
      expect(alerts).toEqual(['payment_reversed', 'payment_returned']);
    });
  });
});

describe("Hardhat's node under Amsterdam's rules", () => {
  paymentsWork({
    startChain: (chainId) => startTestHardhat(chainId, 'amsterdam', { transactionGasCap: false }),
  });
});

it("under Amsterdam's rules Hardhat's own cap of a transaction's gas leaves no room for the registry", async () => {
  const chain = await startTestHardhat(31_337, 'amsterdam');
  try {
    const rootSigner = createKeySigner(devAccounts.root.privateKey);
    const options = { ...alphaAt(chain.url), operators: [], upgraders: [] };
    await expect(prepareNetwork({ ...options, rootSigner })).rejects.toThrow(
      /^deploy the registry at 0x\w+: reverted without a reason$/,
    );
    // It runs out of gas: a call without a limit gets this bound.
    const { to, data } = (await planNetwork(options)).contracts[0]!.call;
    const call = { from: rootSigner.address, to, data, gas: '0x1c9c380' };
    const needed = BigInt((await rpc(chain.url, 'eth_estimateGas', [call])) as string);
    expect(needed).toBeGreaterThan(16_777_216n);
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n };
    const { raw } = await rootSigner.sign({
      eip155: 31_337,
      nonce: 0,
      to,
      data,
      value: 0n,
      gasLimit: 20_000_000n,
      ...fees,
    });
    await expect(rpc(chain.url, 'eth_sendRawTransaction', [raw])).rejects.toThrow(
      'Transaction gas limit is 20000000 and exceeds transaction gas cap of 16777216',
    );
  } finally {
    await chain.stop();
  }
});

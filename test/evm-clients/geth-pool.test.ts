import { ethers } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { devMnemonic, rpc } from '../../tools/stack/chain.ts';
import { startTestGeth } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * geth with other senders who fill its pool and its blocks, and pay more, so that the base fee rises by an eighth a
 * block. It replaces a transaction only for a tenth more.
 */

const BLOCKS = 20;
/** So many of their transactions fill a block of 60,000,000 gas. */
const PER_BLOCK = 4;
const SPAM_GAS = 14_990_000;
const pool = ['--txpool.globalslots', '64', '--txpool.globalqueue', '16'];

let product: Product;
let shop: Shop;

beforeAll(async () => {
  product = await createProduct({
    networks: [{ name: 'alpha', eip155: 31_337, blockTime: 1, confirmations: 2, finality: 64 }],
    startChain: ({ eip155 }) => startTestGeth(eip155, 'osaka', { flags: [...pool, '--rpc.txfeecap', '0'] }),
  });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

const ask = (method: string, params: unknown[] = []) => rpc(product.dev.networks.alpha!.rpc, method, params);

/** Five accounts whose transactions use all their gas, at a higher tip than all others. */
const spam = async (): Promise<void> => {
  const { eip155 } = product.dev.networks.alpha!;
  const accounts = Array.from({ length: 5 }, (_, index) =>
    ethers.HDNodeWallet.fromPhrase(devMnemonic, undefined, `m/44'/60'/0'/0/${10 + index}`),
  );
  for (let nonce = 0; nonce < (BLOCKS * PER_BLOCK) / accounts.length; nonce += 1) {
    for (const account of accounts) {
      const raw = await account.signTransaction({
        type: 2,
        chainId: eip155,
        nonce,
        gasLimit: SPAM_GAS,
        value: 0,
        maxFeePerGas: 300n * 10n ** 9n,
        maxPriorityFeePerGas: 50n * 10n ** 9n,
        // JUMPDEST PUSH0 JUMP as creation code: it never ends.
        data: '0x5b5f56',
      });
      await eventually(() => ask('eth_sendRawTransaction', [raw]), 30_000, 200);
    }
  }
};

const baseFee = async (): Promise<bigint> =>
  BigInt(((await ask('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string }).baseFeePerGas);

it('payments become payable, each by one deal, when others pay higher fees for twenty full blocks', async () => {
  const before = await baseFee();
  const spammed = spam();
  const filled = async () => (await baseFee()) > before * 2n;
  await eventually(filled, 30_000, 200);
  const payments: Payment[] = [];
  for (let count = 0; count < 20; count += 1) payments.push(await shop.create('alpha'));
  await spammed;
  const ready = await Promise.all(payments.map((payment) => shop.reached(payment, 'awaiting_payment')));
  expect(ready.map(({ status_detail: detail }) => detail)).toEqual(payments.map(() => null));
  const replaced = await product.knex('tx_attempts').where('seq', '>', 1);
  expect(replaced.length).toBeGreaterThan(0);
  await shop.pay('alpha', ready[0]!);
  await shop.reached(ready[0]!, 'completed');
  await expectExactlyOnce(product);
  expect(await product.knex('alerts').pluck('kind')).toEqual([]);
});

import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { createBuyer, type Buyer } from '../../tools/demo/buyer.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { cases } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, fastNetworks, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * Many buyers pay offered deals on two networks while workers and api are killed (SIGKILL), and the operator has not a single
 * coin. `npm run offers` has more of them.
 */

const count = cases('OFFERED_PAYMENTS', { few: 12, all: 30 });
const BUYERS = 20;

let product: Product;
let shop: Shop;
let api: RunningProcess;
const buyers: Buyer[] = [];
const networks = ['alpha', 'beta'] as const;

beforeAll(async () => {
  const [alpha] = fastNetworks;
  product = await createProduct({ ownRole: true, networks: [alpha!, { ...alpha!, name: 'beta', eip155: 31_338 }] });
  [api] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  for (const name of networks) {
    await shop.deployed(name);
    await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks[name]!.id);
    await rpc(product.dev.networks[name]!.rpc, 'anvil_setBalance', [devAccounts.operator.address, '0x0']);
  }
});

afterAll(async () => {
  for (const buyer of buyers) buyer.close();
  shop?.close();
  await product?.stop();
});

/** A buyer with a key and coins of their own. */
const buyerOn = async (name: (typeof networks)[number]) => {
  const { address, privateKey } = ethers.Wallet.createRandom();
  const network = product.dev.networks[name]!;
  await rpc(network.rpc, 'anvil_setBalance', [address, ethers.toBeHex(ethers.parseEther('1000'))]);
  return createBuyer({ ...product.dev, buyer: { address, private_key: privateKey } }, network);
};

const noncesOf = (address: string) =>
  Promise.all(
    networks.map((name) => rpc(product.dev.networks[name]!.rpc, 'eth_getTransactionCount', [address, 'latest'])),
  );

it(`${count} offered payments complete once each, exact to the unit, without a transaction of the operator`, async () => {
  const before = await noncesOf(devAccounts.operator.address);
  const payments: Payment[] = [];
  let isOver = false;
  let kills = 0;
  const killing = async (start: () => Promise<RunningProcess>, first: RunningProcess): Promise<void> => {
    let running = first;
    while (!isOver) {
      await delay(1_000 + Math.random() * 2_000);
      process.kill(running.pid, 'SIGKILL');
      await running.exited;
      running = await start();
      kills += 1;
    }
  };
  // The first worker goes on, so that another one is there half of the time.
  const chaos = [
    killing(() => product.startWorker(), await product.startWorker()),
    killing(() => product.startApi(), api),
  ];
  const buying = Array.from({ length: BUYERS }, async (_, index) => {
    const name = networks[index % 2]!;
    const buyer = await buyerOn(name);
    buyers.push(buyer);
    for (let made = index; made < count; made += BUYERS) {
      const payment = await shop.create(name);
      payments.push(payment);
      await shop.reached(payment, 'awaiting_payment');
      const offer = await eventually(async () => {
        const data = await shop.merchant.widget(payment);
        return data.payable && data;
      }, 45_000);
      await buyer.pay(offer);
    }
  });
  await Promise.all(buying);
  isOver = true;
  await Promise.all(chaos);
  for (const payment of payments) await shop.reached(payment, 'completed');
  expect(payments).toHaveLength(count);
  expect(kills).toBeGreaterThan(1);
  const due = ethers.parseEther('0.1');
  for (const payment of payments) {
    const name = networks.find((own) => product.dev.networks[own]!.id === payment.network_id)!;
    expect(await shop.buyers[name]!.balance(null, payment.payment_address)).toBe(due);
  }
  expect(await noncesOf(devAccounts.operator.address)).toEqual(before);
  expect(await product.knex('tx_intents').whereNotNull('payment_id')).toEqual([]);
  await expectExactlyOnce(product);
});

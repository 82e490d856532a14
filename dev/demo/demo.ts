import { ethers } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { createBuyer, type Buyer } from './buyer.ts';
import { createMerchant, type Merchant } from './merchant.ts';
import { Final, until } from './patiently.ts';
import { requireRunningStack } from '../running-stack.ts';

/*
 * npm run demo
 *
 * The main job as a merchant and a buyer live it, against the stack of `npm start`, through HTTP and RPC only: a wallet
 * on two networks, and on each a payment in a token of 6 decimals, one of 18 decimals and the native coin.
 */

/** What is paid, as the merchant writes it. */
const amounts: Record<string, number> = { USDC: 12.5, DAI: 123456.789, ETH: 0.1 };

const started = Date.now();
const say = (line: string): void => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);

const dev = requireRunningStack();
const historyOf = (id: string): string =>
  `${dev.temporal.ui}/namespaces/${dev.temporal.namespace}/workflows?query=${encodeURIComponent(`PaymentIds="${id}"`)}`;

/** One payment from the POST to `completed`; the payee has never received anything before. */
const payOnce = async (
  merchant: Merchant,
  buyer: Buyer,
  network: string,
  symbol: string,
  walletId: string,
): Promise<void> => {
  const { id: networkId } = dev.networks[network]!;
  const currency = dev.currencies[symbol]!;
  const token = currency.tokens[network]!;
  const payee = ethers.Wallet.createRandom().address;
  const label = `${amounts[symbol]} ${symbol} on ${network}`;
  const created = await merchant.createPayment({
    external_id: `demo-${payee}`,
    node_id: dev.nodes.merchant!,
    network_id: networkId,
    wallet_id: walletId,
    currency_id: currency.id,
    price: amounts[symbol]!,
    paid_price: amounts[symbol]!,
    payment_method: 'web3',
    payment_group: 'product',
    payment_address: payee,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  say(`${label}: created, payment ${created.id}`);
  say(`${label}: history at ${historyOf(created.id)}`);
  const reached = (statuses: Payment['status'][]) =>
    until(`${label} to be ${statuses.join(' or ')}`, async () => {
      const payment = await merchant.payment(created.id);
      if (['failed', 'expired', 'canceled'].includes(payment.status)) throw new Final(`${label} is ${payment.status}`);
      return statuses.includes(payment.status) ? payment : null;
    });
  const ready = await reached(['awaiting_payment']);
  say(`${label}: the deal is confirmed in transaction ${ready.transaction_hash}`);
  const hash = await buyer.pay(await merchant.widget(created));
  say(`${label}: the buyer paid in transaction ${hash}`);
  const completed = await reached(['completed']);
  const due = ethers.parseUnits(String(amounts[symbol]), token.decimals);
  const received = await buyer.balance(token.address, payee);
  const kept = await buyer.balance(token.address, completed.diamond_address!);
  if (completed.transaction_hash !== hash) throw new Error(`${label}: completed by ${completed.transaction_hash}`);
  if (received !== due) throw new Error(`${label}: the payee got ${received} base units, not ${due}`);
  if (kept !== 0n) throw new Error(`${label}: the diamond holds ${kept} base units`);
  const story = (await merchant.logs(created.id)).map((entry) => entry.event_type).join(' > ');
  say(`${label}: completed, the payee got exactly ${due} base units (${story})`);
};

/** Everything on one network, one after the other, as one buyer would. */
const runNetwork = async (merchant: Merchant, network: string, walletId: string): Promise<number> => {
  const buyer = createBuyer(dev, dev.networks[network]!);
  try {
    const deployment = await until(`the diamond on ${network}`, async () => {
      const answer = await merchant.deploy(walletId, dev.networks[network]!.id);
      if (answer.status === 'failed') throw new Final(`step ${answer.step} failed`);
      return answer.status === 'completed' ? answer : null;
    });
    say(`${network}: the wallet's diamond is there (step ${deployment.step}, ${deployment.transaction_id})`);
    for (const symbol of Object.keys(amounts)) await payOnce(merchant, buyer, network, symbol, walletId);
    return Object.keys(amounts).length;
  } finally {
    buyer.close();
  }
};

try {
  const merchant = createMerchant(dev);
  const wallet = await merchant.createWallet(`Demo shop ${new Date(started).toISOString()}`);
  say(`wallet ${wallet.id}: its diamond will be at ${wallet.address} on every network`);
  const counts = await Promise.all(
    Object.keys(dev.networks).map((network) => runNetwork(merchant, network, wallet.id)),
  );
  say(`${counts.reduce((sum, count) => sum + count, 0)} payments completed`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

import { ethers } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import type { DealMode } from '../../domain/payment.ts';
import type { DevFile } from '../stack/dev-file.ts';
import type { Buyer } from './buyer.ts';
import type { Merchant } from './merchant.ts';
import { Final, until } from './patiently.ts';
import type { Receiver } from './receiver.ts';

/** Context of all stories of the demo: one merchant with a wallet on one network, a buyer, and the webhook receiver. */
export interface Shop {
  readonly dev: DevFile;
  readonly merchant: Merchant;
  readonly buyer: Buyer;
  /** Pays as the buyer; resolves to the hash of the transaction. */
  readonly pay: (payment: Payment) => Promise<string>;
  readonly receiver: Receiver;
  readonly network: string;
  readonly walletId: string;
  /** How the wallet's deals come about. */
  readonly mode: DealMode;
  readonly say: (line: string) => void;
}

/** Creates a payment to a fresh payee. */
export const createPayment = (
  { dev, merchant, network, walletId }: Shop,
  symbol: string,
  price: number,
  expiresInMs = 3_600_000,
): Promise<Payment> => {
  const payee = ethers.Wallet.createRandom().address;
  return merchant.createPayment({
    external_id: `demo-${payee}`,
    node_id: dev.nodes.merchant!,
    network_id: dev.networks[network]!.id,
    wallet_id: walletId,
    currency_id: dev.currencies[symbol]!.id,
    price,
    paid_price: price,
    payment_method: 'web3',
    payment_group: 'product',
    payment_address: payee,
    expires_at: new Date(Date.now() + expiresInMs).toISOString(),
  });
};

const terminal: readonly Payment['status'][] = ['completed', 'failed', 'expired', 'canceled'];

/** Waits until the payment has the status; any other final status is an error. */
export const reached = ({ merchant }: Shop, id: string, label: string, wanted: Payment['status']): Promise<Payment> =>
  until(`${label} to be ${wanted}`, async () => {
    const payment = await merchant.payment(id);
    if (payment.status === wanted) return payment;
    if (terminal.includes(payment.status)) throw new Final(`${label} is ${payment.status}`);
    return null;
  });

/** Waits for the webhook of the payment's end, and returns the payment's story in one line. */
export const told = async ({ merchant, receiver }: Shop, id: string, label: string, event: string): Promise<string> => {
  const heard = await until(`the webhook ${event} of ${label}`, async () => {
    const all = receiver.heardOf(id);
    return all.some(({ type }) => type === event) ? all : null;
  });
  const story = (await merchant.logs(id)).flatMap((entry) => (entry.sequence === null ? [] : [entry.event_type]));
  return `log: ${story.join(' > ')}; webhooks: ${heard.map(({ type }) => type).join(' > ')}`;
};

/** Price of the payments of these stories. */
const PRICE = 0.05;

/** The merchant cancels a payment that the buyer could have paid. */
const cancel = async (shop: Shop): Promise<void> => {
  const label = `a cancel on ${shop.network}`;
  const { id } = await createPayment(shop, 'ETH', PRICE);
  await reached(shop, id, label, 'awaiting_payment');
  await shop.merchant.cancel(id);
  shop.say(`${label}: accepted, payment ${id}`);
  await reached(shop, id, label, 'canceled');
  shop.say(`${label}: canceled (${await told(shop, id, label, 'payment.canceled')})`);
};

/** The payment expires unpaid. */
const expire = async (shop: Shop): Promise<void> => {
  const label = `an expiry on ${shop.network}`;
  const { id } = await createPayment(shop, 'ETH', PRICE, 20_000);
  await reached(shop, id, label, 'expired');
  shop.say(`${label}: expired by the chain's clock (${await told(shop, id, label, 'payment.expired')})`);
};

/** The merchant retries early. Only one deal is created all the same, and the buyer pays it. */
const retry = async (shop: Shop): Promise<void> => {
  const label = `a retry on ${shop.network}`;
  const created = await createPayment(shop, 'ETH', PRICE);
  const { id } = created;
  const { status } = await shop.merchant.retrySend(id);
  shop.say(`${label}: accepted while ${status}, payment ${id}`);
  await reached(shop, id, label, 'awaiting_payment');
  await shop.pay(created);
  await reached(shop, id, label, 'completed');
  shop.say(`${label}: completed (${await told(shop, id, label, 'payment.completed')})`);
};

/** Runs a cancel and an expiry, and a retry where the deal waits for a transaction, in sequence. */
export const runStories = async (shop: Shop): Promise<void> => {
  for (const story of shop.mode === 'created' ? [cancel, expire, retry] : [cancel, expire]) await story(shop);
};

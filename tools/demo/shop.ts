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

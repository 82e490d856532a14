import { randomUUID } from 'node:crypto';
import { ethers } from 'ethers';
import type { Payment, PaymentRequest, Wallet } from '../../api/generated/openapi-types.ts';
import { createBuyer, type Buyer } from '../../tools/demo/buyer.ts';
import { createMerchant, type Merchant } from '../../tools/demo/merchant.ts';
import { eventually } from './eventually.ts';
import type { Product } from './product.ts';

/** A merchant with a wallet, and a buyer on each network. */
export interface Shop {
  readonly merchant: Merchant;
  readonly wallet: Wallet;
  readonly buyers: Readonly<Record<string, Buyer>>;
  /** Asks for the diamond until it is active. */
  deployed(network: string): Promise<void>;
  request(network: string, more?: Partial<PaymentRequest>): PaymentRequest;
  create(network: string, more?: Partial<PaymentRequest>): Promise<Payment>;
  /** Waits until the payment has one of the statuses. */
  reached(payment: Payment, ...statuses: Payment['status'][]): Promise<Payment>;
  /** Waits until it can be paid, pays, and answers the hash of the buyer's transaction. */
  pay(network: string, payment: Payment): Promise<string>;
  close(): void;
}

/** How long a state may take in a test, in milliseconds: recovery of a worker and its start are in it. */
const patience = 45_000;

/** The same for the first deployment, which waits for everything that has just been started beside it. */
const firstPatience = 90_000;

/** The end of a payment that is created now. Each request needs its own: on a busy machine the one before may take seconds. */
export const expiresIn = (seconds: number): Pick<PaymentRequest, 'expires_at'> => ({
  expires_at: new Date(Date.now() + seconds * 1_000).toISOString(),
});

/** Opens a shop on a product whose api runs. */
export const openShop = async (product: Product): Promise<Shop> => {
  const { dev } = product;
  const merchant = createMerchant(dev);
  const wallet = await merchant.createWallet(`Shop ${randomUUID()}`);
  const buyers = Object.fromEntries(
    Object.entries(dev.networks).map(([name, network]) => [name, createBuyer(dev, network)]),
  );

  const request = (network: string, more: Partial<PaymentRequest> = {}): PaymentRequest => ({
    external_id: randomUUID(),
    node_id: dev.nodes.merchant!,
    network_id: dev.networks[network]!.id,
    wallet_id: wallet.id,
    currency_id: dev.currencies.ETH!.id,
    price: 0.1,
    paid_price: 0.1,
    payment_method: 'web3',
    payment_group: 'product',
    payment_address: ethers.Wallet.createRandom().address,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    ...more,
  });
  const reached = (payment: Payment, ...statuses: Payment['status'][]): Promise<Payment> =>
    eventually(
      async () => {
        const now = await merchant.payment(payment.id);
        if (statuses.includes(now.status)) return now;
        throw new Error(`payment ${payment.id} is ${now.status} (${now.status_detail})`);
      },
      patience,
      100,
    );

  return {
    merchant,
    wallet,
    buyers,
    deployed: async (network) => {
      await eventually(
        async () => (await merchant.deploy(wallet.id, dev.networks[network]!.id)).status === 'completed',
        firstPatience,
        250,
      );
    },
    request,
    create: (network, more) => merchant.createPayment(request(network, more)),
    reached,
    pay: async (network, payment) => {
      await reached(payment, 'awaiting_payment');
      // An offer that nobody asked for is not renewed: the first reader of a payment may have to wait for the next one.
      const payable = await eventually(
        async () => {
          const data = await merchant.widget(payment);
          if (data.payable) return data;
          throw new Error(`payment ${payment.id} is not payable`);
        },
        patience,
        100,
      );
      return buyers[network]!.pay(payable);
    },
    close: () => {
      for (const buyer of Object.values(buyers)) buyer.close();
    },
  };
};

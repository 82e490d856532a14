import { randomUUID } from 'node:crypto';
import { createBuyer } from '../../tools/demo/buyer.ts';
import { createMerchant, openWallets } from '../../tools/demo/merchant.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import type { DevStack } from '../../tools/stack/dev-file.ts';
import { dealModes, type DealMode } from '../../domain/payment.ts';
import { eventually } from './bench.ts';

/** A merchant with a wallet of each deal mode, and a buyer, on the development chain of the composition. */
export interface ComposeShop {
  /** Creates a payment and waits until its buyer can pay it. */
  offer(mode: DealMode): Promise<string>;
  /** Pays a payment. */
  buy(id: string): Promise<void>;
  completed(id: string): Promise<void>;
  /** Takes one payment of each deal mode from creation to completed. */
  sellAll(): Promise<void>;
  /** The same shop at another address of the api. */
  at(api: string): ComposeShop;
  close(): void;
}

/** The parts of the composition that a shop needs to know. */
export type ComposeStack = Pick<DevStack, 'api' | 'admin' | 'nodes' | 'chains' | 'networks' | 'currencies'>;

/** The name of the only network. */
export const network = 'alpha';

const onWallets = (stack: ComposeStack, wallets: Record<DealMode, string>): ComposeShop => {
  const merchant = createMerchant(stack);
  const { address, privateKey } = devAccounts.buyer;
  const dev = { ...stack, buyer: { address, private_key: privateKey } } as unknown as DevStack;
  const buyer = createBuyer(dev, stack.networks[network]!);
  const reached = (id: string, status: string): Promise<unknown> =>
    eventually(`the payment ${id} is ${status}`, async () => {
      const payment = await merchant.payment(id);
      if (['failed', 'expired', 'canceled'].includes(payment.status)) throw new Error(`it is ${payment.status}`);
      return payment.status === status || undefined;
    });
  const shop: ComposeShop = {
    offer: async (mode) => {
      const payment = await merchant.createPayment({
        external_id: randomUUID(),
        node_id: stack.nodes.merchant!,
        network_id: stack.networks[network]!.id,
        wallet_id: wallets[mode],
        currency_id: stack.currencies.ETH!.id,
        price: 0.1,
        paid_price: 0.1,
        payment_method: 'web3',
        payment_group: 'product',
        payment_address: '0x00000000000000000000000000000000000C0DE1',
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      await reached(payment.id, 'awaiting_payment');
      return payment.id;
    },
    buy: async (id) => void (await buyer.pay(await merchant.widget(await merchant.payment(id)))),
    completed: async (id) => void (await reached(id, 'completed')),
    sellAll: async () => {
      for (const mode of dealModes) {
        const id = await shop.offer(mode);
        await shop.buy(id);
        await shop.completed(id);
      }
    },
    at: (api) => onWallets({ ...stack, api }, wallets),
    close: () => buyer.close(),
  };
  return shop;
};

/** Opens the shop: creates its wallets and waits until their diamonds are deployed. */
export const openShop = async (stack: ComposeStack): Promise<ComposeShop> =>
  onWallets(stack, await openWallets(createMerchant(stack), stack));

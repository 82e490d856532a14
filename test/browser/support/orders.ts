import { randomUUID } from 'node:crypto';
import { ethers } from 'ethers';
import type { Checkout, CheckoutRequest, Payment } from '../../../api/generated/openapi-types.ts';
import { createCaratClient } from '../../../client/client.ts';
import type { DealMode } from '../../../domain/payment.ts';
import { eventually } from '../../support/eventually.ts';
import type { PaySymbol } from './tokens.ts';
import type { World } from './world.ts';

/** What an order asks for. Default: 12.5 USDC or 0.125 ETH. */
export interface OpenOrderOptions extends Partial<CheckoutRequest> {
  readonly mode?: DealMode;
  readonly currencies?: readonly PaySymbol[];
}

/** Orders whose buyer chooses how to pay. */
export interface Orders {
  /** Creates an order. Its page is at `checkout_url`. */
  open(options?: OpenOrderOptions): Promise<Checkout>;
  read(order: Checkout): Promise<Checkout>;
  /** Waits until the order has a status. */
  reached(order: Checkout, status: Checkout['status']): Promise<Checkout>;
  cancel(order: Checkout): Promise<void>;
  /** Payments of its choices, oldest first. */
  payments(order: Checkout): Promise<Payment[]>;
}

const patience = 45_000;

/** Orders of a world's shops. */
export const createOrders = ({
  product,
  shops,
  currencies,
}: Pick<World, 'product' | 'shops' | 'currencies'>): Orders => {
  const { admin, api, nodes, networks } = product.dev;
  const carat = createCaratClient({ url: api, apiKey: admin.api_key, secret: admin.secret });
  const read = ({ id }: Checkout): Promise<Checkout> => carat.getCheckout(id);
  return {
    open: ({ mode = 'offered', currencies: symbols = ['USDC', 'ETH'], ...more }: OpenOrderOptions = {}) =>
      carat.createCheckout({
        external_id: `order ${randomUUID()}`,
        node_id: nodes.merchant!,
        payment_group: 'product',
        payment_address: ethers.Wallet.createRandom().address,
        options: symbols.map((symbol) => ({
          network_id: networks.alpha!.id,
          currency_id: currencies[symbol].id,
          wallet_id: shops[mode].wallet.id,
          paid_price: symbol === 'ETH' ? 0.125 : 12.5,
        })),
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        ...more,
      }),
    read,
    reached: (order, status) =>
      eventually(
        async () => {
          const now = await read(order);
          if (now.status === status) return now;
          throw new Error(`order ${order.id} is ${now.status}`);
        },
        patience,
        100,
      ),
    cancel: async ({ id }) => void (await carat.cancelCheckout(id)),
    payments: async (order) => {
      const { payments } = await read(order);
      return Promise.all(payments.map((id) => carat.getPayment(id)));
    },
  };
};

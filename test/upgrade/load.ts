import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Checkout, Payment, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { CaratError } from '../../client/carat-error.ts';
import { createCaratClient } from '../../client/client.ts';
import { rpc } from '../../tools/stack/chain.ts';
import type { DealMode } from '../../domain/payment.ts';
import type { Judged } from '../model/world.ts';
import { eventually } from '../support/eventually.ts';
import type { Shop } from '../support/shop.ts';

/** A shop with a wallet of each deal mode, whose customers never stop. */
export interface Place extends Judged {
  readonly shop: Shop;
}

/** Customers, one after the other, until they are stopped. */
export interface Load {
  /** Payments that were created, those of orders left out. */
  readonly payments: readonly Payment[];
  /** Faults that no customer may see: a failed request, or a payment that makes no progress. */
  readonly problems: readonly string[];
  /** No further customers come; resolves when the last one has done. */
  stop(): Promise<void>;
}

/** Milliseconds between two customers, and most of them at once: a slow machine has fewer. */
const EVERY_MS = 400;
const AT_ONCE = 16;
/** For which a payment may stand still; the chain itself stands still while processes start. */
const PATIENCE_MS = 120_000;

/** Pays a payment from an account of its own, without waiting for a block. */
export const pay = async ({ product }: Place, data: WidgetPayment): Promise<void> => {
  const payer = ethers.Wallet.createRandom();
  const { rpc: url, eip155: chainId } = product.dev.networks.alpha!;
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
  const { data: call, value } = data.contract;
  const transaction = { type: 2, chainId, nonce: 0, to: data.diamond_address, data: call, value, ...fees };
  await rpc(url, 'anvil_setBalance', [payer.address, ethers.toBeHex(ethers.parseEther('1000'))]);
  await rpc(url, 'eth_sendRawTransaction', [await payer.signTransaction({ ...transaction, gasLimit: 300_000n })]);
};

/** Waits until the payment has one of the statuses. */
export const reached = (
  { shop }: Place,
  { id }: { readonly id: string },
  ...statuses: Payment['status'][]
): Promise<Payment> =>
  eventually(
    async () => {
      const now = await shop.merchant.payment(id);
      if (statuses.includes(now.status)) return now;
      throw new Error(`payment ${id} is ${now.status} (${now.status_detail})`);
    },
    PATIENCE_MS,
    200,
  );

const inSeconds = (seconds: number) => ({ expires_at: new Date(Date.now() + seconds * 1_000).toISOString() });

/** Refusals that a merchant may get: the payment was faster. */
const orRefused = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof CaratError) || error.status < 400 || error.status >= 500) throw error;
  });
};

/** The customers, by what they do with a payment. */
const customers = {
  pays: async (place: Place, payment: Payment) => {
    await reached(place, payment, 'awaiting_payment');
    await pay(place, await place.shop.merchant.widget(payment));
    await reached(place, payment, 'completed');
  },
  'cancels at once': async ({ shop: { merchant } }: Place, { id }: Payment) => orRefused(merchant.cancel(id)),
  'cancels late': async (place: Place, payment: Payment) => {
    await reached(place, payment, 'awaiting_payment');
    await place.shop.merchant.widget(payment);
    await orRefused(place.shop.merchant.cancel(payment.id, true));
    await reached(place, payment, 'canceled');
  },
  retries: async (place: Place, payment: Payment) => {
    await orRefused(place.shop.merchant.retrySend(payment.id));
    await customers.pays(place, payment);
  },
  leaves: async (place: Place, payment: Payment) => void (await reached(place, payment, 'awaiting_payment', 'expired')),
  'pays while it is canceled': async (place: Place, payment: Payment) => {
    await reached(place, payment, 'awaiting_payment');
    const data = await place.shop.merchant.widget(payment);
    await Promise.all([pay(place, data), orRefused(place.shop.merchant.cancel(payment.id, true))]);
    await reached(place, payment, 'completed', 'canceled');
  },
} as const;
const kinds = Object.keys(customers) as (keyof typeof customers)[];

/** The API as a merchant and a buyer call it. */
const clientOf = ({ product: { dev } }: Place) =>
  createCaratClient({ url: dev.api, apiKey: dev.admin.api_key, secret: dev.admin.secret, retries: { retries: 40 } });

/** Makes an order whose buyer may choose between the deal modes. */
export const createOrder = (place: Place): Promise<Checkout> => {
  const { networks, currencies, nodes } = place.product.dev;
  return clientOf(place).createCheckout({
    external_id: randomUUID(),
    node_id: nodes.merchant!,
    payment_group: 'product',
    payment_address: ethers.Wallet.createRandom().address,
    options: Object.values(place.wallets).map(({ id: wallet_id }) => ({
      network_id: networks.alpha!.id,
      currency_id: currencies.ETH!.id,
      wallet_id,
      paid_price: 0.1,
    })),
    on_chain_cancel: true,
    ...inSeconds(3_600),
  });
};

/** Chooses an option of an order; resolves to the payment, which may have to wait for the one before. */
export const choose = async (place: Place, order: Checkout, option: number): Promise<{ id: string }> =>
  (await clientOf(place).chooseOption(order.id, order.access_token, { option })).payment!;

/** Starts the load. */
export const startLoad = (place: Place): Load => {
  const { shop, wallets } = place;
  const carat = clientOf(place);
  const payments: Payment[] = [];
  const problems: string[] = [];
  const stopped = new AbortController();

  /** An order whose buyer chooses one way, then the other, and pays. */
  const order = async (): Promise<void> => {
    const made = await createOrder(place);
    for (const option of [0, 1]) await choose(place, made, option);
    const { payment } = await eventually(
      async () => {
        const page = await carat.getWidgetCheckout(made.id, made.access_token);
        if (page.option === 1 && page.payment?.status === 'awaiting_payment') return page;
        throw new Error(`order ${made.id} is ${page.status}`);
      },
      PATIENCE_MS,
      200,
    );
    await pay(place, await carat.getWidgetPayment(payment!.id, payment!.access_token));
    await eventually(async () => (await carat.getCheckout(made.id)).status === 'completed', PATIENCE_MS, 200);
  };

  const transfer = async (turn: number): Promise<void> => {
    const payment = await shop.create('alpha', { payment_method: 'bank_transfer', wallet_id: undefined });
    payments.push(payment);
    await carat.settlePayment(payment.id, {
      outcome: turn % 20 < 10 ? 'completed' : 'failed',
      reference: payment.id,
    });
  };

  const payment = async (turn: number): Promise<void> => {
    const mode: DealMode = turn % 2 === 0 ? 'created' : 'offered';
    const kind = kinds[Math.floor(turn / 2) % kinds.length]!;
    const life = inSeconds(kind === 'leaves' && turn % 4 < 2 ? 20 : 3_600);
    const made = await shop.create('alpha', { wallet_id: wallets[mode].id, ...life });
    payments.push(made);
    await customers[kind](place, made);
  };

  const come = (turn: number): Promise<void> => {
    if (turn % 10 === 8) return order();
    if (turn % 10 === 9) return transfer(turn);
    return payment(turn);
  };

  const all = (async () => {
    const running = new Set<Promise<void>>();
    for (let turn = 0; !stopped.signal.aborted; await delay(EVERY_MS, null, stopped).catch(() => {})) {
      if (running.size >= AT_ONCE) continue;
      const customer = come(turn)
        .catch((error: unknown) => void problems.push(String((error as Error).stack)))
        .finally(() => running.delete(customer));
      running.add(customer);
      turn += 1;
    }
    await Promise.all(running);
  })();
  return {
    payments,
    problems,
    stop: () => {
      stopped.abort();
      return all;
    },
  };
};

import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Payment, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { eventually } from '../support/eventually.ts';
import type { Product } from '../support/product.ts';
import type { Shop } from '../support/shop.ts';

/** The fate of a payment: its buyer pays it, its merchant cancels it, or neither acts. */
type Plan = 'pay' | 'cancel' | 'leave';

/** A merchant that creates payments all the time, and one buyer that pays them one after the other from one account. */
export interface Load {
  /** Creates nothing more, and waits until every payment is where its plan leads: paid, canceled, or payable. */
  finish(): Promise<Readonly<Record<Plan, number>>>;
  /** Ends at once. */
  stop(): Promise<void>;
}

const network = 'alpha';
/** Orders between the creation of a payment and its cancel. */
const CANCELED_AFTER = 3;
/** How long the buyer waits for a block with their transaction before they try again: a node may have forgotten it. */
const MINED_MS = 8_000;
/** Payments that the buyer sends before they wait. */
const SENT_AT_ONCE = 10;
const ends: Readonly<Record<Plan, Payment['status']>> = {
  pay: 'completed',
  cancel: 'canceled',
  leave: 'awaiting_payment',
};

/** Lets the wallet's diamond take all tokens of the buyer, so that each payment is one transaction. */
export const approveAll = async (product: Product, diamond: string): Promise<void> => {
  const { rpc: url, eip155 } = product.dev.networks[network]!;
  const provider = new ethers.JsonRpcProvider(url, eip155, { staticNetwork: true, cacheTimeout: -1 });
  try {
    const buyer = new ethers.Wallet(product.dev.buyer.private_key, provider);
    const { address } = product.dev.currencies.USDC!.tokens[network]!;
    const token = new ethers.Contract(address!, ['function approve(address, uint256) returns (bool)'], buyer);
    const { hash } = (await token.getFunction('approve')(diamond, ethers.MaxUint256)) as { hash: string };
    await eventually(() => rpc(url, 'eth_getTransactionReceipt', [hash]), 30_000, 200);
  } finally {
    provider.destroy();
  }
};

/** A buyer that waits for a transaction only for a while. */
const createBuyer = (product: Product) => {
  const { rpc: url, eip155 } = product.dev.networks[network]!;
  const provider = new ethers.JsonRpcProvider(url, eip155, { staticNetwork: true, cacheTimeout: -1 });
  const wallet = new ethers.Wallet(product.dev.buyer.private_key, provider);
  const last = new Map<string, string>();
  /**
   * Whether a transaction is in a block of the chain. A geth that was killed also gives receipts of blocks that it has
   * lost.
   */
  const isMined = async (hash: string): Promise<boolean> => {
    const receipt = await rpc(url, 'eth_getTransactionReceipt', [hash]);
    if (receipt === null) return false;
    const { blockHash, blockNumber } = receipt as { blockHash: string; blockNumber: string };
    const [tip, block] = await Promise.all([
      rpc(url, 'eth_blockNumber', []),
      rpc(url, 'eth_getBlockByNumber', [blockNumber, false]) as Promise<{ hash: string } | null>,
    ]);
    return Number(tip) >= Number(blockNumber) && block?.hash === blockHash;
  };
  return {
    /** Sends a payment, unless the one that was sent the last time is still in a block. */
    send: async (id: string, { diamond_address, contract }: WidgetPayment): Promise<string | null> => {
      const before = last.get(id);
      if (before !== undefined && (await isMined(before))) return null;
      const { abi, function_name: name, arguments: args, value } = contract;
      const diamond = new ethers.Contract(diamond_address, abi as unknown as ethers.InterfaceAbi, wallet);
      const { hash } = (await diamond.getFunction(name)(...args, { value })) as { hash: string };
      last.set(id, hash);
      return hash;
    },
    mined: (hash: string) => eventually(() => isMined(hash), MINED_MS, 200),
    close: () => provider.destroy(),
  };
};

/** Starts a load of about one payment a second; `random` draws the fate of each. */
export const startLoad = (product: Product, shop: Shop, random: () => number, expiresAt: Date): Load => {
  const orders: { readonly payment: Payment; readonly plan: Plan }[] = [];
  const widgets = new Map<string, WidgetPayment>();
  const buyer = createBuyer(product);
  const [creating, buying] = [new AbortController(), new AbortController()];

  const order = async (): Promise<void> => {
    const drawn = random();
    const plan = drawn < 0.6 ? 'pay' : drawn < 0.8 ? 'cancel' : 'leave';
    const token = { currency_id: product.dev.currencies.USDC!.id, price: 12.5, paid_price: 12.5 };
    const expires_at = expiresAt.toISOString();
    const payment = await shop.create(network, { expires_at, ...(random() < 0.5 ? token : {}) });
    orders.push({ payment, plan });
    const old = orders.at(-1 - CANCELED_AFTER);
    if (old?.plan === 'cancel') await shop.merchant.cancel(old.payment.id);
  };
  const merchant = async (): Promise<void> => {
    while (!creating.signal.aborted) {
      await order();
      await delay(400 + random() * 1_000, undefined, { signal: creating.signal }).catch(() => {});
    }
    const late = orders.slice(-CANCELED_AFTER).filter(({ plan }) => plan === 'cancel');
    for (const { payment } of late) await shop.merchant.cancel(payment.id);
  };

  /** Payable ones, and those that a reorganisation took off the chain after their end. */
  const payable = (): Promise<string[]> =>
    product
      .knex('payments')
      .whereIn(
        'id',
        orders.filter(({ plan }) => plan === 'pay').map(({ payment }) => payment.id),
      )
      .where((either) => void either.where({ status: 'awaiting_payment' }).orWhereNotNull('reversed_at'))
      .orderBy('created_at')
      .pluck('id');
  const send = async (id: string): Promise<string | null> => {
    const { payment } = orders.find((own) => own.payment.id === id)!;
    const widget = widgets.get(id) ?? (await shop.merchant.widget(payment));
    widgets.set(id, widget);
    return buyer.send(id, widget);
  };
  const shopper = async (): Promise<void> => {
    while (!buying.signal.aborted) {
      const sent: string[] = [];
      // A node that is away, a deal that is not there again, a transaction that was forgotten: the next turn tries again.
      for (const id of (await payable()).slice(0, SENT_AT_ONCE)) sent.push((await send(id).catch(() => null)) ?? '');
      await Promise.all(sent.filter(Boolean).map((hash) => buyer.mined(hash).catch(() => {})));
      await delay(200, undefined, { signal: buying.signal }).catch(() => {});
    }
  };

  const work = [merchant(), shopper()];
  const stop = async (): Promise<void> => {
    creating.abort();
    buying.abort();
    const all = await Promise.allSettled(work);
    buyer.close();
    for (const one of all) if (one.status === 'rejected') throw one.reason;
  };
  // `stop` throws early failures.
  for (const one of work) one.catch(() => {});
  return {
    finish: async () => {
      creating.abort();
      await work[0];
      await eventually(
        async () => {
          const rows = (await product.knex('payments').select('id', 'status', 'status_detail', 'reversed_at')) as {
            id: string;
            status: Payment['status'];
            status_detail: string | null;
            reversed_at: Date | null;
          }[];
          const open = orders.flatMap(({ payment: { id }, plan }) => {
            const row = rows.find((own) => own.id === id)!;
            if (row.status === ends[plan] && row.reversed_at === null) return [];
            return [`${id} to ${plan} is ${row.status} (${row.status_detail})${row.reversed_at ? ', reversed' : ''}`];
          });
          if (open.length === 0) return true;
          throw new Error(open.join('\n'));
        },
        120_000,
        500,
      );
      await stop();
      const count = (wanted: Plan): number => orders.filter(({ plan }) => plan === wanted).length;
      return { pay: count('pay'), cancel: count('cancel'), leave: count('leave') };
    },
    stop,
  };
};

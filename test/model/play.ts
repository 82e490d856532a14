import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Payment, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { CaratError } from '../../client/carat-error.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { decodeDealWord } from '../../chain/pure/deal-state.ts';
import type { OpenDeal } from '../liars/lies.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { refusal } from '../chain/support/data-chains.ts';
import { seeded, startLying } from '../liars/schedule.ts';
import type { Answer } from './answers.ts';
import type { Fault, Order, Schedule } from './schedule.ts';
import { chainTime, type World } from './world.ts';

/** The outcome of an order: the payment, unless refused, its buyer's transactions, and its merchant's answers. */
export interface Deed {
  readonly order: Order;
  payment: Payment | null;
  readonly raws: string[];
  readonly answers: Answer[];
}

/** The longest wait while a schedule is played, in milliseconds; an action whose condition is not met by then is dropped. */
const PATIENCE_MS = 8_000;

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(40)) {
    if (await isSo().catch(() => false)) return;
  }
};

/** Makes a request; it is refused if it comes too late. */
const giveCommand = async ({ answers }: Deed, command: Answer['command'], work: Promise<unknown>): Promise<void> => {
  const isAccepted = await work.then(
    () => true,
    (error: unknown) => {
      const code = error instanceof CaratError ? error.code : '';
      if (code !== { cancel: 'payment_not_cancelable', retry: 'payment_not_retryable' }[command]) throw error;
      return false;
    },
  );
  answers.push({ command, isAccepted, at: new Date() });
};

const isInBlock = async ({ ask }: World, { diamond_address: to, deal_id }: WidgetPayment): Promise<boolean> => {
  const data = contracts.deal.interface.encodeFunctionData('dealWords', [[deal_id]]);
  const answer = (await ask('eth_call', [{ to, data }, 'latest'])) as string;
  const [[word]] = contracts.deal.interface.decodeFunctionResult('dealWords', answer) as unknown as [[string]];
  return decodeDealWord(word).status === 'open';
};

/** Signs and sends the buyer's call, with any outcome. */
const pay = async (
  { ask, product }: World,
  buyer: ethers.Wallet,
  widget: WidgetPayment,
  { raws }: Deed,
): Promise<void> => {
  const { abi, function_name: name, arguments: args, value } = widget.contract;
  const raw = await buyer.signTransaction({
    chainId: product.dev.networks.alpha!.eip155,
    nonce: Number(await ask('eth_getTransactionCount', [buyer.address, 'pending'])),
    to: widget.diamond_address,
    data: new ethers.Interface(abi as unknown as ethers.InterfaceAbi).encodeFunctionData(name, args),
    value: BigInt(value),
    gasLimit: 300_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 2_000_000_000n,
    type: 2,
  });
  raws.push(raw);
  await ask('eth_sendRawTransaction', [raw]).catch(() => undefined);
};

const statusOf = async ({ product }: World, { id }: Payment): Promise<string> =>
  (await product.knex('payments').where({ id }).first<{ status: string }>('status')).status;

/** Creates the payment of an order; null when it was refused, because the api was away until it would have expired. */
const create = async (world: World, { method, mode, currency, lives }: Order): Promise<Payment | null> => {
  const { shop, product, wallets } = world;
  const isWeb3 = method === 'web3';
  // By the clock that decides: the chain's runs ahead of ours, because schedules before this one have moved it.
  const from = isWeb3 ? (await chainTime(world)) * 1_000 : Date.now();
  const request = {
    currency_id: product.dev.currencies[currency]!.id,
    payment_method: method,
    expires_at: new Date(from + lives).toISOString(),
    wallet_id: isWeb3 ? wallets[mode].id : undefined,
  };
  return shop.create('alpha', request).catch((error: unknown) => {
    if (error instanceof CaratError && error.status === 400) return null;
    throw error;
  });
};

const playOrder = async (world: World, buyer: ethers.Wallet, deed: Deed): Promise<void> => {
  const { order } = deed;
  const { merchant } = world.shop;
  await delay(order.at);
  const payment = await create(world, order);
  deed.payment = payment;
  if (payment === null) return;
  const created = Date.now();
  /** What the buyer's page reads; null while there is nothing to pay. */
  const read = (): Promise<WidgetPayment | null> =>
    merchant.widget(payment).catch((error: unknown) => {
      if (error instanceof CaratError && error.code === 'payment_not_payable') return null;
      throw error;
    });
  const widget = order.method === 'web3' && order.mode === 'created' ? await read() : null;
  // An offered deal is in no block before its payment.
  const mined = (): Promise<void> =>
    order.mode === 'offered' ? ready() : until(async () => widget !== null && isInBlock(world, widget));
  const ready = (): Promise<void> => until(async () => (await statusOf(world, payment)) === 'awaiting_payment');
  const lastMoment = (): Promise<void> => delay(Math.max(0, created + order.lives - 1_000 - Date.now()));

  const paying = order.pay && { mined, ready, 'last moment': lastMoment }[order.pay.when]();
  const playPay = async (): Promise<void> => {
    if (order.pay === null || order.method !== 'web3') return;
    if (order.mode === 'offered') await ready();
    const first = widget ?? (await read());
    await paying;
    await delay(order.pay.after);
    const shown = order.mode === 'created' || order.keepsOffer ? first : await read();
    if (shown !== null) await pay(world, buyer, shown, deed);
  };
  const playCancel = async (): Promise<void> => {
    if (order.cancel === null) return;
    await { created: () => Promise.resolve(), mined, ready, paying: () => paying }[order.cancel.when]();
    await delay(order.cancel.after);
    await giveCommand(deed, 'cancel', merchant.cancel(payment.id, order.cancel.onChain));
  };
  const playRetry = async (after: number): Promise<void> => {
    await delay(after);
    await giveCommand(deed, 'retry', merchant.retrySend(payment.id));
  };
  await Promise.all([playPay(), playCancel(), ...order.retries.map(playRetry)]);
};

const reorganise = async (world: World, depth: number, deeds: readonly Deed[]): Promise<void> => {
  await world.reorganise(depth);
  // anvil forgets transactions of removed blocks; some wallets send them again.
  for (const { order, raws } of deeds) {
    for (const raw of order.resends ? raws : [])
      await world.ask('eth_sendRawTransaction', [raw]).catch(() => undefined);
  }
};

const dealsOf = async ({ product }: World, deeds: readonly Deed[]): Promise<OpenDeal[]> => {
  const ids = deeds.flatMap(({ payment }) => payment?.id ?? []);
  const rows = await product.knex('payments').whereIn('id', ids).whereNotNull('deal_id');
  return rows.map((row) => ({
    diamond: row.diamond_address,
    dealId: BigInt(row.deal_id),
    termsHash: row.terms_hash,
    token: row.token_address ?? ethers.ZeroAddress,
    payee: row.payment_address,
    amount: BigInt(row.paid_price_units),
  }));
};

const away = async (part: World['api'], ms: number): Promise<void> => {
  await part.end();
  await delay(ms);
  await part.begin();
};

const stopRpc = async ({ endpoints }: World, ms: number): Promise<void> => {
  for (const endpoint of endpoints) endpoint.mode = 'refuse';
  await delay(ms);
  for (const endpoint of endpoints) endpoint.mode = 'pass';
};

const lie = async (world: World, { lie: own, ms }: Fault, seed: number, deeds: readonly Deed[]): Promise<void> => {
  const deals = await dealsOf(world, deeds);
  const endpoint = world.endpoints[own.position]!;
  const steps = [{ lie: own.name, ms }];
  const about = { deals: () => deals, random: seeded(seed) };
  const stop = await startLying(endpoint, world.chainUrl, { position: own.position, steps }, about);
  await delay(ms);
  await stop();
};

/** Bytes of a signed transaction with one deal, at most. */
const ONE_DEAL = 440;

/** No endpoint takes more than one deal in a transaction, by its words. One of them passes all on nevertheless. */
const refuseLarge = async ({ endpoints, chainUrl }: World, { lie: { position }, ms }: Fault): Promise<void> => {
  for (const [index, endpoint] of endpoints.entries())
    endpoint.rewrite = async (request) => {
      const raw = String(request.params[0]);
      if (request.method !== 'eth_sendRawTransaction' || raw.length / 2 - 1 <= ONE_DEAL) return request;
      if (index === position) await rpc(chainUrl, request.method, [raw]).catch(() => {});
      return refusal(`oversized data: transaction size ${raw.length / 2 - 1}, limit ${ONE_DEAL}`);
    };
  await delay(ms);
  for (const endpoint of endpoints) endpoint.rewrite = null;
};

/** A fault that cannot overlap with itself waits for its turn. */
const queueOf = {
  'stop RPC': 'rpc',
  lie: 'rpc',
  'refuse large': 'rpc',
  'reorganise 1': 'chain',
  'reorganise 2': 'chain',
} as const;

const playFaults = (world: World, { faults, seed }: Schedule, deeds: readonly Deed[]): Promise<unknown> => {
  const queues = new Map<string, Promise<void>>();
  const breakIt = (fault: Fault): Promise<void> => {
    const { what, ms } = fault;
    if (what === 'reorganise 1' || what === 'reorganise 2') return reorganise(world, Number(what.slice(-1)), deeds);
    if (what === 'stop RPC') return stopRpc(world, ms);
    if (what === 'lie') return lie(world, fault, seed, deeds);
    if (what === 'refuse large') return refuseLarge(world, fault);
    return away({ 'kill worker': world.worker, 'kill api': world.api, 'stop Temporal': world.temporal }[what], ms);
  };
  return Promise.all(
    faults.map(async (fault) => {
      await delay(fault.at);
      const queue = fault.what in queueOf ? queueOf[fault.what as keyof typeof queueOf] : fault.what;
      const turn = (queues.get(queue) ?? Promise.resolve()).then(() => breakIt(fault));
      queues.set(queue, turn);
      await turn;
    }),
  );
};

/** Plays a schedule to its end; everything that was broken is whole again then. */
export const play = async (world: World, schedule: Schedule): Promise<Deed[]> => {
  const deeds = schedule.orders.map((order): Deed => ({ order, payment: null, raws: [], answers: [] }));
  await Promise.all([
    playFaults(world, schedule, deeds),
    ...deeds.map((deed, index) => playOrder(world, world.buyers[index % world.buyers.length]!, deed)),
  ]);
  return deeds;
};

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Knex } from 'knex';
import type { Payment, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import type { DealMode } from '../../domain/payment.ts';
import { optionalEvents } from '../../domain/webhook.ts';
import { devMnemonic } from '../stack/chain.ts';
import type { ProductStack } from './product-stack.ts';

/** The API of a stack, and its tokens. */
export const apiClient = async (stack: ProductStack) => {
  const call = async <Body>(
    method: string,
    path: string,
    token: string | null,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Body> => {
    const bearer = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(stack.api + path, {
      method,
      headers: { 'content-type': 'application/json', ...bearer, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return (text === '' ? null : JSON.parse(text)) as Body;
  };
  const token = async (): Promise<string> => {
    const grant = {
      grant_type: 'client_credentials',
      client_id: stack.credentials.api_key,
      client_secret: stack.credentials.secret,
    };
    return (await call<{ access_token: string }>('POST', '/api/v1/auth/token', null, grant)).access_token;
  };
  return { call, token };
};

type ApiCall = Awaited<ReturnType<typeof apiClient>>['call'];

/** Creates a wallet with an active diamond, whose deals come about in this way. */
export const activeWallet = async (
  call: ApiCall,
  bearer: string,
  { nodes, chains, networks }: ProductStack['catalogue'],
  mode: DealMode = 'created',
): Promise<{ readonly id: string }> => {
  const wallet = await call<{ id: string }>('POST', '/api/v1/wallets', bearer, {
    node_id: nodes.merchant,
    chain_id: chains.devnet,
    name: `bench ${mode}`,
  });
  const path = `/api/v1/wallets/${wallet.id}`;
  const deploy = { node_id: nodes.merchant, network_id: networks.bench };
  while ((await call<{ status: string }>('POST', `${path}/deploy`, bearer, deploy)).status !== 'completed')
    await delay(100);
  if (mode === 'offered') await call('PUT', path, bearer, { deal_modes: [{ network_id: networks.bench, mode }] });
  return wallet;
};

/** Sends every event of a wallet's payments to the root path of a receiver. */
export const subscribe = (
  call: ApiCall,
  bearer: string,
  { networks }: ProductStack['catalogue'],
  walletId: string,
  receiver: string,
): Promise<unknown> =>
  call('POST', '/api/v1/webhooks', bearer, {
    wallet_id: walletId,
    network_id: networks.bench,
    host: receiver,
    success_path: '/',
    error_path: '/',
    auth_type: 'token',
    auth_token: 'bench',
    events: optionalEvents,
  });

/** Waits until no webhook is pending; asks again after so many milliseconds. */
export const untilDelivered = async (knex: Knex, everyMs: number): Promise<void> => {
  while ((await knex('webhook_deliveries').where({ state: 'pending' }).orderBy('webhook_id').limit(1)).length > 0)
    await delay(everyMs);
};

/** The body of a new payment in the native coin. */
export const orderOf = (
  { catalogue: { nodes, networks, currencies } }: ProductStack,
  walletId: string,
  payee: string,
) => ({
  external_id: randomUUID(),
  node_id: nodes.merchant,
  network_id: networks.bench,
  wallet_id: walletId,
  currency_id: currencies.ETH,
  price: 0.001,
  paid_price: 0.001,
  payment_method: 'web3',
  payment_group: 'product',
  payment_address: payee,
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
});

/** Buyers with separate accounts, who pay in the native coin by the widget's data. */
export interface Buyers {
  pay(data: readonly WidgetPayment[]): Promise<void>;
}

const GAS = 150_000n;

/** Sends signed transactions in one JSON-RPC batch. @throws Error when the chain refuses one */
export const sendRaw = async (url: string, signed: readonly string[]): Promise<void> => {
  const requests = signed.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requests),
  });
  const answers = (await response.json()) as { error?: unknown }[];
  const refused = answers.find((answer) => answer.error !== undefined);
  if (refused !== undefined) throw new Error(`the chain refused a transaction: ${JSON.stringify(refused.error)}`);
};

/** @param count number of buyers, at most the chain's funded accounts minus 20 */
export const createBuyers = (url: string, eip155: number, count: number): Buyers => {
  const mnemonic = ethers.Mnemonic.fromPhrase(devMnemonic);
  const accounts = Array.from({ length: count }, (_, index) => {
    const { privateKey } = ethers.HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${index + 20}`);
    return { signer: createKeySigner(privateKey), nonce: 0 };
  });
  let next = 0;
  const interfaces = new Map<string, ethers.Interface>();

  const sign = async (data: WidgetPayment): Promise<string> => {
    const account = accounts[next++ % accounts.length]!;
    const { abi, function_name: name, arguments: args, value } = data.contract;
    const contract = interfaces.get(name) ?? new ethers.Interface(abi as unknown as ethers.InterfaceAbi);
    interfaces.set(name, contract);
    const { raw } = await account.signer.sign({
      eip155,
      nonce: account.nonce++,
      to: data.diamond_address,
      data: contract.encodeFunctionData(name, args),
      value: BigInt(value),
      gasLimit: GAS,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
    return raw;
  };

  return {
    pay: async (data) => sendRaw(url, await Promise.all(data.map(sign))),
  };
};

/** Clients of a slot. */
export const CLIENTS = 32;

/** Runs `work` for each number below `count`, `CLIENTS` at a time. */
export const byClients = async (count: number, work: (index: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
};

/** Begins `work` so many times a second, without waiting for the earlier ones. @returns all results, in order */
export const atRate = async <Result>(
  perSecond: number,
  count: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> => {
  const began = performance.now();
  const underWay: Promise<Result>[] = [];
  for (let index = 0; index < count; index += 1) {
    await delay(Math.max(0, began + (index * 1_000) / perSecond - performance.now()));
    underWay.push(work(index));
  }
  return Promise.all(underWay);
};

/** The payments of a slot. */
interface Posted {
  /** Those that were posted so far. */
  readonly payments: ReadonlyMap<string, Payment>;
  /** How many there will be. */
  readonly count: number;
  /** Payments that were completed before. */
  readonly done: number;
  /** Milliseconds between two looks while none can be paid. Default 10. */
  readonly everyMs?: number;
}

/**
 * Pays these payments as soon as they are payable, until all are completed. Buyers find payable payments in the database;
 * polling the API would be a load that no shop has.
 */
export const payAll = async (
  { knex, call, buyers }: { readonly knex: Knex; readonly call: ApiCall; readonly buyers: Buyers },
  { payments, count, done, everyMs = 10 }: Posted,
): Promise<void> => {
  const paid = new Set<string>();
  let completed = 0;
  while (completed < count) {
    const rows = await knex('payments').where({ status: 'awaiting_payment' }).pluck('id');
    const ready = rows.flatMap((id: string) => (paid.has(id) ? [] : (payments.get(id) ?? [])));
    const data: WidgetPayment[] = [];
    await byClients(ready.length, async (index) => {
      const payment = ready[index]!;
      data.push(await call<WidgetPayment>('GET', `/api/v1/widget/payments/${payment.id}`, payment.access_token));
    });
    for (const payment of ready) paid.add(payment.id);
    if (data.length > 0) await buyers.pay(data);
    const [row] = await knex('payments').where({ status: 'completed' }).count<{ count: string }[]>();
    completed = Number(row!.count) - done;
    if (ready.length === 0) await delay(everyMs);
  }
};

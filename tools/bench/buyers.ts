import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Knex } from 'knex';
import type { Payment, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devMnemonic } from '../stack/chain.ts';
import type { ApiCall } from './shop.ts';

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
export interface Posted {
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

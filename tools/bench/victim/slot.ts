import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Payment } from '../../../api/generated/openapi-types.ts';
import { atRate } from '../buyers.ts';
import type { ProductStack } from '../product-stack.ts';

/** Latencies of the victim in a slot, in milliseconds. */
export interface Felt {
  readonly reads: readonly number[];
  readonly creates: readonly number[];
  /** From POST until `awaiting_payment`. */
  readonly ready: readonly number[];
}

/** Requests per second, independent of earlier answers; below the limit of one integration. */
const rates = { reads: 20, creates: 5 } as const;
/** Resolution of the moment at which a payment becomes payable, in milliseconds. */
const POLL_MS = 25;
/** Timeout after the last POST, in milliseconds. */
const PATIENCE_MS = 120_000;

export interface Victim {
  readonly stack: ProductStack;
  readonly nodeId: string;
  readonly token: string;
  /** The body of a payment; each `#` needs a fresh text. */
  readonly payment: string;
  /** A payment to read before the slot has created any. */
  readonly paymentId: string;
}

/** Returns the body, and the duration including the body. */
const ask = async <Body>({ stack, token }: Victim, status: number, path: string, body?: string) => {
  const began = performance.now();
  const response = await fetch(`${stack.api}/api/v1/payments${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const ms = performance.now() - began;
  if (response.status !== status) throw new Error(`the victim was answered ${response.status}: ${text}`);
  return { began, ms, body: JSON.parse(text) as Body };
};

/** Polls the database until all posted payments are payable, without loading the api. */
const untilReady = async (
  { stack, nodeId }: Victim,
  posted: ReadonlyMap<string, number>,
  isPosting: () => boolean,
): Promise<number[]> => {
  const since = new Date(Date.now() - 1_000);
  const took = new Map<string, number>();
  let deadline = Infinity;
  while (isPosting() || took.size < posted.size) {
    if (!isPosting() && deadline === Infinity) deadline = performance.now() + PATIENCE_MS;
    if (performance.now() > deadline) throw new Error(`${posted.size - took.size} payments did not become payable`);
    const rows: string[] = await stack
      .knex('payments')
      .where({ node_id: nodeId, status: 'awaiting_payment' })
      .where('created_at', '>=', since)
      .pluck('id');
    const now = performance.now();
    for (const id of rows) {
      const began = posted.get(id);
      if (began !== undefined && !took.has(id)) took.set(id, now - began);
    }
    await delay(POLL_MS);
  }
  return [...took.values()];
};

/** Measures the victim's latencies for some seconds. */
export const feel = async (victim: Victim, seconds: number): Promise<Felt> => {
  const [reads, creates]: [number[], number[]] = [[], []];
  const posted = new Map<string, number>();
  let latest = victim.paymentId;
  let isPosting = true;
  const requests = Promise.all([
    atRate(rates.reads, rates.reads * seconds, async () => {
      reads.push((await ask(victim, 200, `/${latest}`)).ms);
    }),
    atRate(rates.creates, rates.creates * seconds, async () => {
      const { began, ms, body } = await ask<Payment>(victim, 201, '', victim.payment.replace('#', randomUUID()));
      creates.push(ms);
      posted.set(body.id, began);
      latest = body.id;
    }),
  ]).finally(() => (isPosting = false));
  const [ready] = await Promise.all([untilReady(victim, posted, () => isPosting), requests]);
  return { reads, creates, ready };
};

import { setTimeout as delay } from 'node:timers/promises';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { ok, startReceiver, type Receiver } from '../support/receiver.ts';
import { createRig, type Rig } from './rig.ts';

/* A healthy stack under load raises nothing: two workers, a webhook, and two payments a second that their buyers pay. */

const MINUTES = 10;
const PER_SECOND = 2;

let rig: Rig;
let receiver: Receiver;

beforeAll(async () => {
  [rig, receiver] = await Promise.all([createRig({ workers: 2 }), startReceiver({ answer: ok })]);
  await rig.shop.merchant.createWebhook(rig.shop.wallet.id, rig.product.dev.networks.alpha!.id, receiver.origin);
});

afterAll(async () => {
  await rig?.stop();
  await receiver?.close();
});

it('no alert and no rule fires in ten minutes of payments that are created, paid and completed', async () => {
  const { shop, prometheus, product } = rig;
  const began = performance.now();
  /** By name, with the second in which it was seen first; alerts with the last. */
  const raised = new Map<string, number>();
  const buying: Promise<Payment>[] = [];
  const buy = async (): Promise<Payment> => {
    const payment = await shop.create('alpha');
    await shop.pay('alpha', payment);
    return shop.reached(payment, 'completed');
  };
  for (let count = 0; performance.now() - began < MINUTES * 60_000; count += 1) {
    await delay(Math.max(0, began + (count * 1_000) / PER_SECOND - performance.now()));
    buying.push(buy());
    buying.at(-1)!.catch(() => {});
    if (count % PER_SECOND === 0)
      for (const rule of await prometheus.firing()) {
        if (!raised.has(rule)) raised.set(rule, count / PER_SECOND);
      }
  }
  const bought = await Promise.all(buying);
  for (const kind of await product.knex('alerts').distinct('kind').pluck('kind'))
    raised.set(kind as string, MINUTES * 60);
  process.stderr.write(`${bought.length} payments were completed, ${receiver.received.length} events delivered\n`);
  expect([...raised]).toEqual([]);
});

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, DefaultLogger, Worker } from '@temporalio/worker';
import { ethers } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import type { DealMode } from '../../domain/payment.ts';
import {
  byClients,
  CLIENTS,
  createBuyers,
  payAll,
  activeWallet,
  apiClient,
  orderOf,
  subscribe,
  untilDelivered,
  type Buyers,
} from './buyers.ts';
import { chainFlags } from './chain-stack.ts';
import { interleave, printResults, ratioOf, type Variant } from './interleave.ts';
import { processorTime, residentMemory } from '../process/usage.ts';
import { startProductStack, type ProductStack } from './product-stack.ts';
import { startWebhookReceiver } from './webhooks/start-receiver.ts';
import { doneSignal, waitForSignal } from './workflows.ts';

/*
 * npm run bench:payments [-- ROUNDS [PAYMENTS]]
 *
 * Payments per second from POST to `completed`, posted by 32 clients and paid by buyers, against an empty
 * start-wait-signal workflow per payment on the same Temporal server; the same with offered deals; and with a webhook for each event.
 * Method and figures: tools/bench/README.md.
 */

const rounds = Number(process.argv[2] ?? 5);
const paymentsPerSlot = Number(process.argv[3] ?? 1_000);
const workflowsPerSlot = 150;

/** Processor milliseconds used so far, by part of the product. */
const usedBy = ({ pids }: ProductStack): Record<string, number> =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, processorTime(pid)]));

/** Completed payments of all variants. */
let done = 0;

/** @param receiver receives every event of the payments; a slot ends once it has */
const carat = async (
  stack: ProductStack,
  buyers: Buyers,
  { receiver = null, mode = 'created' }: { readonly receiver?: string | null; readonly mode?: DealMode } = {},
): Promise<Variant> => {
  const { call, token } = await apiClient(stack);
  const wallet = await activeWallet(call, await token(), stack.catalogue, mode);
  const payee = ethers.Wallet.createRandom().address;
  if (receiver !== null) await subscribe(call, await token(), stack.catalogue, wallet.id, receiver);

  const post = (bearer: string): Promise<Payment> =>
    call<Payment>('POST', '/api/v1/payments', bearer, orderOf(stack, wallet.id, payee));

  return {
    name: `Carat, POST to completed${mode === 'created' ? '' : ', offered'}${receiver === null ? '' : ', with webhooks'}`,
    unit: 'payments',
    slot: async () => {
      const bearer = await token();
      const posted = new Map<string, Payment>();
      const before = usedBy(stack);
      const started = performance.now();
      const posting = byClients(paymentsPerSlot, async () => {
        const payment = await post(bearer);
        posted.set(payment.id, payment);
      });
      const paying = payAll({ knex: stack.knex, call, buyers }, { payments: posted, count: paymentsPerSlot, done });
      await Promise.all([posting, paying]);
      await untilDelivered(stack.knex, 10);
      const ms = performance.now() - started;
      done += paymentsPerSlot;
      const used = Object.entries(usedBy(stack)).map(
        ([name, spent]) => `${name} ${((spent - before[name]!) / paymentsPerSlot).toFixed(2)}`,
      );
      console.log(`          processor time of a payment in ms: ${used.join(', ')}`);
      const [groups] = await stack.knex('payments').countDistinct<{ count: string }[]>('workflow_id');
      console.log(
        `          after ${done} payments: api ${residentMemory(stack.pids.api).toFixed(0)} MiB, worker ${residentMemory(stack.pids.worker).toFixed(0)} MiB, ` +
          `${(done / Number(groups!.count)).toFixed(1)} payments per workflow`,
      );
      return { count: paymentsPerSlot, ms };
    },
  };
};

const emptyWorkflows = (client: Client): Variant => ({
  name: 'empty workflow: start, wait, signal, end',
  unit: 'workflows',
  slot: async () => {
    const started = performance.now();
    await byClients(workflowsPerSlot, async () => {
      const handle = await client.workflow.start(waitForSignal, {
        workflowId: `tools/bench/${randomUUID()}`,
        taskQueue: 'bench',
        args: [],
      });
      await handle.signal(doneSignal);
      await handle.result();
    });
    return { count: workflowsPerSlot, ms: performance.now() - started };
  },
});

Runtime.install({ logger: new DefaultLogger('WARN') });
const stack = await startProductStack();
const { address, namespace } = stack.temporal;
const connection = await Connection.connect({ address });
const receiver = await startWebhookReceiver();
const native = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection: native,
  namespace,
  taskQueue: 'bench',
  workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
});
try {
  await worker.runUntil(async () => {
    const buyers = createBuyers(stack.chain.url, chainFlags.chainId, CLIENTS);
    const variants = [
      await carat(stack, buyers),
      await carat(stack, buyers, { mode: 'offered' }),
      await carat(stack, buyers, { receiver: receiver.origin }),
      emptyWorkflows(new Client({ connection, namespace })),
    ];
    const rates = await interleave(variants, rounds);
    const [product, offered, told, empty] = variants.map(({ name }) => name) as [string, string, string, string];
    printResults(variants, rates, [
      [`${product} / ${empty}`, ratioOf(rates, product, empty)],
      [`${offered} / created`, ratioOf(rates, offered, product)],
      [`${told} / without`, ratioOf(rates, told, product)],
    ]);
  });
} finally {
  await connection.close();
  await native.close();
  receiver.stop();
  await stack.stop();
}

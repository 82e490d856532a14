import { residentMemory } from '../../process/usage.ts';
import { startChild } from '../child.ts';
import { inTurns, quantile, showRatio, spread } from '../interleave.ts';
import { startProductStack } from '../product-stack.ts';
import { startWebhookReceiver } from '../webhooks/start-receiver.ts';
import { createKinds, jobOf, untilIdle, type Kind } from './kinds.ts';
import type { NeighbourJob, NeighbourResult } from './load.ts';
import { createMerchant } from './merchant.ts';
import { feel, type Felt } from './slot.ts';

/*
 * npm run bench:victim [-- ROUNDS [SECONDS [KIND]]]
 *
 * How a merchant is affected by a neighbour that uses its limits fully, one kind of load at a time: reads, creates and
 * deals alone and beside it, alternating, and the memory of api and worker. Method and figures: tools/bench/README.md.
 */

const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 20);
/** Measures only kinds whose names contain this. */
const wanted = process.argv[4] ?? '';

// As in production; other benches have no limits.
const limits = {
  CARAT_RATE_LIMIT: '100',
  CARAT_RATE_BURST: '1000',
  CARAT_IP_RATE_LIMIT: '10',
  CARAT_IP_RATE_BURST: '100',
  CARAT_MAX_OPEN_PAYMENTS: '10000',
};
const stack = await startProductStack({ merchants: ['victim', 'neighbour'], environment: limits });
const receiver = await startWebhookReceiver(16);
const clients = startChild<NeighbourJob | 'stop', NeighbourResult>(new URL('load.ts', import.meta.url));

/** Peak memory since the last call, in MiB. */
const memory = (() => {
  let most = { api: 0, worker: 0 };
  const look = (): void => {
    const { api, worker } = stack.pids;
    most = { api: Math.max(most.api, residentMemory(api)), worker: Math.max(most.worker, residentMemory(worker)) };
  };
  const timer = setInterval(look, 1_000);
  const take = (): typeof most => {
    look();
    const taken = most;
    most = { api: 0, worker: 0 };
    return taken;
  };
  return { take, stop: () => clearInterval(timer) };
})();

interface Figures {
  readonly reads: number;
  readonly creates: number;
  readonly ready: number;
  readonly late: number;
}

/** p99 of the requests; median and p95 of the time until a payment is payable. */
const figuresOf = ({ reads, creates, ready }: Felt): Figures => ({
  reads: quantile(reads, 0.99),
  creates: quantile(creates, 0.99),
  ready: quantile(ready, 0.5),
  late: quantile(ready, 0.95),
});

interface Slot {
  readonly alone: Felt;
  readonly beside: Felt;
  readonly did: NeighbourResult;
  readonly api: number;
  readonly worker: number;
}

const show = ({ reads, creates, ready, late }: Figures): string =>
  `reads ${reads.toFixed(1)} ms, creates ${creates.toFixed(1)} ms, ready ${ready.toFixed(0)} ms (p95 ${late.toFixed(0)})`;

const ratios = ({ alone, beside }: Slot): Figures => {
  const [above, below] = [figuresOf(beside), figuresOf(alone)];
  return {
    reads: above.reads / below.reads,
    creates: above.creates / below.creates,
    ready: above.ready / below.ready,
    late: above.late / below.late,
  };
};

const printTables = (slots: ReadonlyMap<string, readonly Slot[]>): void => {
  const columns = ['reads', 'creates', 'ready', 'late'] as const;
  console.log(
    '\n| beside | p99 of reads | p99 of creates | ready, median | ready, p95 | api | worker |\n|---|---|---|---|---|---|---|',
  );
  for (const [name, all] of slots) {
    const times = columns.map((column) => showRatio(spread(all.map((slot) => ratios(slot)[column]))));
    const most = (['api', 'worker'] as const).map(
      (process) => `${Math.max(...all.map((slot) => slot[process])).toFixed(0)} MiB`,
    );
    console.log(`| ${[name, ...times, ...most].join(' | ')} |`);
  }
  console.log(
    '\n| all rounds together | p99 of reads, ms | p99 of creates, ms | ready, median, ms | ready, p95, ms |\n|---|---|---|---|---|',
  );
  for (const [name, all] of slots) {
    const together = (which: 'alone' | 'beside'): Figures =>
      figuresOf({
        reads: all.flatMap((slot) => slot[which].reads),
        creates: all.flatMap((slot) => slot[which].creates),
        ready: all.flatMap((slot) => slot[which].ready),
      });
    const [alone, beside] = [together('alone'), together('beside')];
    const cells = columns.map((column) => `${alone[column].toFixed(0)} / ${beside[column].toFixed(0)}`);
    console.log(`| ${name}, alone / beside | ${cells.join(' | ')} |`);
  }
};

const run = async (): Promise<void> => {
  const [victim, neighbour] = [await createMerchant(stack, 'victim', 1), await createMerchant(stack, 'neighbour', 4)];
  const payment = victim.payment({ wallet_id: await victim.wallet('shop') });
  const { id: paymentId } = await victim.client.createPayment({ ...JSON.parse(payment), external_id: 'first' });
  const parts = { stack, neighbour, receiver };
  const kinds = (await createKinds(parts)).filter(({ name }) => name.includes(wanted));
  console.log(`prepared: api ${memory.take().api.toFixed(0)} MiB`);

  const slotOf = async (kind: Kind, length: number): Promise<Slot> => {
    await untilIdle(stack);
    const [token = ''] = await victim.tokens();
    const me = { stack, nodeId: victim.nodeId, token, payment, paymentId };
    const alone = await feel(me, length);
    await kind.prepare?.();
    const answered = clients.ask(await jobOf(kind, parts));
    const beside = await feel(me, length);
    clients.tell('stop');
    const did = await answered;
    await kind.tidy?.();
    return { alone, beside, did, ...memory.take() };
  };

  const slots = new Map<string, Slot[]>(kinds.map(({ name }) => [name, []]));
  await inTurns(kinds, rounds, async (kind, round) => {
    const slot = await slotOf(kind, round === 0 ? 5 : seconds);
    if (round > 0) slots.get(kind.name)!.push(slot);
    const { alone, beside, did, api, worker } = slot;
    console.log(`round ${round}/${rounds}  ${kind.name}
  alone   ${show(figuresOf(alone))}
  beside  ${show(figuresOf(beside))}; ${beside.reads.length} reads, ${beside.creates.length} creates
  neighbour ${JSON.stringify(did.statuses)}, ${(did.bytes / 1e6).toFixed(1)} MB; api ${api.toFixed(0)} MiB, worker ${worker.toFixed(0)} MiB`);
  });
  printTables(slots);
};

try {
  await run();
} finally {
  memory.stop();
  clients.stop();
  receiver.stop();
  await stack.stop();
}

import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { freePorts } from '../process/ports.ts';
import { byClients, CLIENTS, createBuyers, payAll, activeWallet, apiClient, orderOf } from './buyers.ts';
import { chainFlags } from './chain-stack.ts';
import { medianInterval, quantile, showRatio, spread } from './interleave.ts';
import { createThreadClock, processorTime } from '../process/usage.ts';
import { startProductStack } from './product-stack.ts';

/*
 * npm run bench:metrics [-- ROUNDS [PAYMENTS [READS]]]
 *
 * Processor time of api and worker for a request and for a payment, with metrics that are scraped every 15 seconds, against the same
 * without metrics at the same time. Method and figures: tools/bench/README.md.
 */

const rounds = Number(process.argv[2] ?? 24);
const paymentsPerSlot = Number(process.argv[3] ?? 500);
const readsPerSlot = Number(process.argv[4] ?? 5_000);
/** Rounds' worth of work that nobody counts after a start. */
const WARM_UP = 2;
/** Both stacks start api and worker again so often, and take turns in having metrics. */
const BLOCKS = 4;
/** As in install/monitoring/prometheus.yml. */
const SCRAPE_MS = 15_000;
/** Time in which workflows end after their payments. */
const REST_MS = 500;

/** Processor milliseconds for one of each kind. */
const kinds = ['POST payment', 'GET payment', 'GET widget', 'payment', 'payment, with PostgreSQL'] as const;
type Times = Readonly<Record<(typeof kinds)[number], number>>;

/** A product on parts of its own. */
const startSide = async () => {
  const stack = await startProductStack();
  const { call, token } = await apiClient(stack);
  const wallet = await activeWallet(call, await token(), stack.catalogue);
  const payee = ethers.Wallet.createRandom().address;
  const buyers = createBuyers(stack.chain.url, chainFlags.chainId, CLIENTS);
  const post = (bearer: string): Promise<Payment> =>
    call<Payment>('POST', '/api/v1/payments', bearer, orderOf(stack, wallet.id, payee));
  // The payment that is read stays payable.
  const shown = await post(await token());
  let done = 0;

  /** The work of a round, and the clocks of its processes. */
  const begin = async () => {
    const bearer = await token();
    const payments = new Map<string, Payment>();
    const database = processorTime(stack.pids.postgres);
    return {
      api: createThreadClock(stack.pids.api),
      worker: createThreadClock(stack.pids.worker),
      database: () => processorTime(stack.pids.postgres) - database,
      post: async () => {
        const payment = await post(bearer);
        payments.set(payment.id, payment);
      },
      pay: async () => {
        await payAll({ knex: stack.knex, call, buyers }, { payments, count: paymentsPerSlot, done });
        done += paymentsPerSlot;
      },
      get: () => call('GET', `/api/v1/payments/${shown.id}`, bearer),
      widget: () => call('GET', `/api/v1/widget/payments/${shown.id}`, shown.access_token),
    };
  };
  return { stack, begin };
};

type Side = Awaited<ReturnType<typeof startSide>>;

/**
 * Does the work of a round on both sides at the same time, request by request in turn, so that whatever the machine does meanwhile
 * meets both. The first side begins.
 */
const runRound = async (sides: readonly [Side, Side]): Promise<[Times, Times]> => {
  const works = [await sides[0].begin(), await sides[1].begin()] as const;
  const inTurn = async (count: number, kind: 'post' | 'get' | 'widget'): Promise<[number, number]> => {
    works.forEach(({ api }) => void api());
    await byClients(2 * count, async (index) => void (await works[index % 2]![kind]()));
    return [works[0].api(), works[1].api()];
  };
  works.forEach(({ worker }) => void worker());
  const posting = await inTurn(paymentsPerSlot, 'post');
  await Promise.all(works.map((work) => work.pay()));
  await delay(REST_MS);
  const paying = works.map(({ api, worker }, side) => posting[side]! + api() + worker());
  const stored = works.map(({ database }) => database());
  const reading = await inTurn(readsPerSlot, 'get');
  const showing = await inTurn(readsPerSlot, 'widget');
  const timesOf = (side: 0 | 1): Times => ({
    'POST payment': posting[side] / paymentsPerSlot,
    'GET payment': reading[side] / readsPerSlot,
    'GET widget': showing[side] / readsPerSlot,
    payment: paying[side]! / paymentsPerSlot,
    'payment, with PostgreSQL': (paying[side]! + stored[side]!) / paymentsPerSlot,
  });
  return [timesOf(0), timesOf(1)];
};

/** Asks for the metrics of these ports as Prometheus does, until it is stopped. */
const startScraper = (ports: readonly number[]) => {
  const stopped = new AbortController();
  let scrapes = 0;
  const scrape = async (port: number): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await answer.text();
    if (!answer.ok || !text.includes('carat_info')) throw new Error(`the metrics answered ${answer.status}`);
  };
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      await Promise.all(ports.map(scrape));
      scrapes += 1;
      await delay(SCRAPE_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
  })();
  return {
    stop: async (): Promise<number> => {
      stopped.abort();
      await ended;
      return scrapes;
    },
  };
};

const none = { CARAT_METRICS_PORT: '0' };

/** Starts both sides again, one with metrics. */
const startBlock = async (on: Side, off: Side) => {
  const [api = 0, worker = 0] = await freePorts(2);
  const withMetrics = { api: { CARAT_METRICS_PORT: String(api) }, worker: { CARAT_METRICS_PORT: String(worker) } };
  await Promise.all([on.stack.restart(withMetrics), off.stack.restart({ api: none, worker: none })]);
  return startScraper([api, worker]);
};

/** Processor milliseconds a second of api and worker of both sides, while nothing happens for two scrapes. */
const measureIdle = async (sides: readonly Side[]): Promise<number[]> => {
  const clocks = sides.map(({ stack }) => [createThreadClock(stack.pids.api), createThreadClock(stack.pids.worker)]);
  await delay(2 * SCRAPE_MS);
  return clocks.map((own) => own.reduce((sum, clock) => sum + clock(), 0) / (2 * (SCRAPE_MS / 1_000)));
};

const inMicroseconds = (ms: number): string => (ms * 1_000).toFixed(0);

const sides = [await startSide(), await startSide()] as const;
const measured: { readonly on: Times; readonly off: Times }[] = [];
const idle: number[][] = [];
const loads: number[] = [];
try {
  for (let block = 0; block < BLOCKS; block += 1) {
    const [on, off] = [sides[block % 2]!, sides[(block + 1) % 2]!];
    const scraper = await startBlock(on, off);
    for (let time = 0; time < WARM_UP; time += 1) await runRound([on, off]);
    idle.push(await measureIdle([on, off]));
    for (let round = block; round < rounds; round += BLOCKS) {
      const isOnFirst = measured.length % 2 === 0;
      const times = await runRound(isOnFirst ? [on, off] : [off, on]);
      const pair = isOnFirst ? { on: times[0], off: times[1] } : { on: times[1], off: times[0] };
      measured.push(pair);
      loads.push(os.loadavg()[0]!);
      const texts = kinds.map(
        (kind) =>
          `${kind} ${(pair.on[kind] / pair.off[kind]).toFixed(3)} (${inMicroseconds(pair.on[kind])} / ${inMicroseconds(pair.off[kind])})`,
      );
      console.log(`round ${measured.length}/${rounds}  load ${loads.at(-1)!.toFixed(1)}  ${texts.join(', ')}`);
    }
    console.log(`block ${block + 1}/${BLOCKS}: ${await scraper.stop()} scrapes`);
  }
  console.log(
    '\n| with metrics / without | median (10-90 %) | 95 % interval of the median | all rounds together | µs |',
  );
  console.log('|---|---|---|---|---|');
  for (const kind of kinds) {
    const ratios = measured.map(({ on, off }) => on[kind] / off[kind]);
    const interval =
      medianInterval(ratios)
        ?.map((bound) => bound.toFixed(3))
        .join(' to ') ?? '-';
    const [on, off] = (['on', 'off'] as const).map((side) => measured.map((pair) => pair[side][kind])) as [
      number[],
      number[],
    ];
    const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
    console.log(
      `| ${kind} | ${showRatio(spread(ratios), 3)} | ${interval} | ${(sum(on) / sum(off)).toFixed(3)} | ` +
        `${inMicroseconds(quantile(on, 0.5))} / ${inMicroseconds(quantile(off, 0.5))} |`,
    );
  }
  const resting = idle.map(([on, off]) => `${on!.toFixed(1)} / ${off!.toFixed(1)}`);
  console.log(`\nIdle, ms a second with / without metrics: ${resting.join(', ')}`);
  console.log(`Load: ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`);
} finally {
  for (const { stack } of sides) await stack.stop();
}

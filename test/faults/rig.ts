import { freePorts } from '../../tools/process/ports.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { carat } from '../support/carat.ts';
import { eventually } from '../support/eventually.ts';
import { commandEnvironment, createProduct, type Product, type ProductOptions } from '../support/product.ts';
import { startTestPrometheus, type TestPrometheus } from '../support/prometheus.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { faultRow, type FaultRow } from './table.ts';

/** Milliseconds from a fault until everything that its row names shows it. */
const TOLD_MS = 60_000;
/** Milliseconds from the mend until all of it is silent again. */
const CLOSED_MS = 120_000;

/** How a fault is played. */
export interface Play {
  /** Breaks it. The time runs from the call. */
  readonly inject: () => Promise<unknown>;
  readonly mend: () => Promise<unknown>;
  /** Words of the row's command that name the fault, and that it does not say before. */
  readonly says: RegExp;
  /** Words for those in capitals in the row's command, such as `{ NETWORK: 'alpha' }`. */
  readonly fill?: Readonly<Record<string, string>>;
  /** Environment of the command, beside the usual one. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds from the mend until all is silent. Default 120,000. */
  readonly closesMs?: number;
}

/** The product with the times of production, a shop on it, and a Prometheus as operators have it. */
export interface Rig {
  readonly product: Product;
  readonly shop: Shop;
  readonly prometheus: TestPrometheus;
  /** The workers by place; a killed one is started again by `startWorker`. */
  readonly workers: RunningProcess[];
  /** Starts the worker of a place, whose metrics Prometheus reads. */
  startWorker(place?: number, environment?: Record<string, string>): Promise<void>;
  /**
   * Plays the fault of a row in docs/operations/faults.md: its metrics show it, its rules fire and its alerts open in time, its
   * command names it, and after the mend all of them are silent.
   */
  named(fault: string, play: Play): Promise<void>;
  stop(): Promise<void>;
}

/** A product, with more than one worker perhaps. */
export interface RigOptions extends ProductOptions {
  readonly workers?: number;
}

/** An indicator of a fault: its name, and whether it shows the fault now. */
interface Teller {
  readonly name: string;
  readonly tells: () => Promise<boolean>;
}

/** Kinds of the open alerts, each once. */
const openKinds = ({ knex }: Product): Promise<string[]> =>
  knex('alerts').whereNull('closed_at').distinct('kind').pluck('kind');

const tellersOf = ({ metrics, rules, alerts }: FaultRow, product: Product, prometheus: TestPrometheus): Teller[] => [
  ...metrics.map((name) => ({ name, tells: async () => (await prometheus.query(name)).length > 0 })),
  ...rules.map((name) => ({ name, tells: async () => (await prometheus.firing()).includes(name) })),
  ...alerts.map((name) => ({ name, tells: async () => (await openKinds(product)).includes(name) })),
];

/** Seconds from `since` until each indicator shows the fault, or is silent. */
const secondsOf = (tellers: readonly Teller[], isTold: boolean, since: number, ms: number): Promise<string[]> =>
  Promise.all(
    tellers.map(async ({ name, tells }) => {
      try {
        await eventually(async () => (await tells()) === isTold, since + ms - performance.now(), 250);
      } catch (error) {
        throw new Error(`${name} ${isTold ? 'did not tell' : 'was not silent'} in time`, { cause: error });
      }
      return `${name} ${((performance.now() - since) / 1_000).toFixed(0)} s`;
    }),
  );

/** Starts everything; a healthy stack is silent, which is waited for. */
export const createRig = async ({ workers: count = 1, ...options }: RigOptions = {}): Promise<Rig> => {
  const [api = 0, ...ports] = await freePorts(1 + count);
  const product = await createProduct({
    ...options,
    environment: { CARAT_PROFILE: 'production', ...options.environment, CARAT_METRICS_PORT: String(api) },
  });
  const workers: RunningProcess[] = [];
  const startWorker: Rig['startWorker'] = async (place = 0, environment = {}) => {
    workers[place] = await product.startWorker({ ...environment, CARAT_METRICS_PORT: String(ports[place]) });
  };
  await Promise.all([product.startApi(), ...ports.map((_, place) => startWorker(place))]);
  const prometheus = await startTestPrometheus({ ports: { 'carat-api': [api], 'carat-worker': ports } });
  const shop = await openShop(product);
  for (const network of Object.keys(product.dev.networks)) await shop.deployed(network);
  const env = {
    ...commandEnvironment(product),
    ...options.environment,
  };
  const ask = async (command: string, { fill = {}, environment = {} }: Play): Promise<string> => {
    const words = command.split(' ').slice(1);
    const { out, err } = await carat(
      words.map((word) => fill[word] ?? word),
      { ...env, ...environment },
    );
    return out + err;
  };
  /** Indicators that show the fault, beyond the row. */
  const others = async ({ rules, alerts }: FaultRow): Promise<string[]> => {
    const all = [...(await prometheus.firing()), ...(await openKinds(product).catch(() => []))];
    return all.filter((name) => ![...rules, ...alerts].includes(name));
  };

  /** Injects the fault, and waits until every indicator shows it and the command names it. */
  const shown = async (row: FaultRow, play: Play, tellers: readonly Teller[], since: number) => {
    await play.inject();
    const told = await secondsOf(tellers, true, since, TOLD_MS);
    const said = await eventually(
      async () => {
        const text = await ask(row.command, play);
        if (play.says.test(text)) return text;
        throw new Error(`${row.command} says: ${text}`);
      },
      since + TOLD_MS - performance.now(),
      500,
    );
    return { told, said, beside: await others(row) };
  };

  return {
    product,
    shop,
    prometheus,
    workers,
    startWorker,
    named: async (fault, play) => {
      const row = faultRow(fault);
      const tellers = tellersOf(row, product, prometheus);
      await secondsOf(tellers, false, performance.now(), CLOSED_MS);
      expect(await ask(row.command, play)).not.toMatch(play.says);
      const injected = performance.now();
      const { told, said, beside } = await shown(row, play, tellers, injected).catch(async (error: unknown) => {
        // So that the next fault finds a healthy stack.
        await play.mend();
        throw error;
      });
      const mended = performance.now();
      await play.mend();
      const silent = await secondsOf(tellers, false, mended, play.closesMs ?? CLOSED_MS);
      const line = said.split('\n').find((text) => play.says.test(text)) ?? '';
      process.stderr.write(
        [
          fault,
          `  told: ${told.join(', ')}`,
          `  beside: ${beside.join(', ') || 'nothing'}`,
          `  ${row.command}: ${line.trim()}`,
          `  silent: ${silent.join(', ')}\n`,
        ].join('\n'),
      );
    },
    stop: async () => {
      shop.close();
      await prometheus.stop();
      await product.stop();
    },
  };
};

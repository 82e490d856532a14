import type { EndpointTrouble } from '../../../chain/rpc/member.ts';
import { startGateway, type Gateway, type Running, type RunOptions, type TestPayment } from './gateway.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { allAre, stopAfterEach } from './running.ts';

/** A gateway of one test file, and three endpoints before its chain. */
export interface Proxied {
  readonly gateway: Gateway;
  readonly proxies: readonly Proxy[];
  /** What the runs of a test have reported of these endpoints. */
  readonly troubles: EndpointTrouble[];
  /** Stops a run after the test. */
  keep<Run extends Running>(run: Run): Run;
  /** A run's options with the first so many endpoints. */
  among(count: number, quorum: number): RunOptions;
}

/** Call it once in a test file. Each test has new endpoints and no alerts. */
export const useProxies = (): Proxied => {
  let gateway: Gateway;
  let proxies: Proxy[];
  let troubles: EndpointTrouble[];
  // Runs stop before their endpoints do.
  const keep = stopAfterEach();

  beforeAll(async () => {
    gateway = await startGateway({ confirmations: 2 });
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
    troubles = [];
    await gateway.knex('alerts').delete();
  });
  afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

  return {
    get gateway() {
      return gateway;
    },
    get proxies() {
      return proxies;
    },
    get troubles() {
      return troubles;
    },
    keep,
    among: (count, quorum) => ({
      urls: proxies.slice(0, count).map(({ url }) => url),
      network: { quorum },
      report: (trouble) => troubles.push(trouble),
    }),
  };
};

/** A gateway of one test file, whose lanes have three endpoints and a quorum of two. */
export interface ThreeEndpoints {
  readonly gateway: Gateway;
  readonly proxies: readonly Proxy[];
  /** The leading endpoint. */
  readonly liar: Proxy;
  lane(more?: RunOptions): Running;
  /** Stops a run after the test. */
  keep<Run extends Running>(run: Run): Run;
  inTime(payments: readonly TestPayment[], ms: number): Promise<boolean>;
  /** The slots of payments, by nonce. */
  slotsOf(payments: readonly TestPayment[]): Promise<Record<string, unknown>[]>;
  /** The reasons for which payments have waited. */
  waitsOf(payments: readonly TestPayment[]): Promise<string[]>;
  /** The alerts of lanes and endpoints. */
  told(): Promise<string[]>;
  setBalance(wei: bigint): Promise<unknown>;
}

/** Call it once in a test file. Each test has new endpoints, no alerts, ample funds and a watcher. */
export const useThreeEndpoints = (): ThreeEndpoints => {
  const all = useProxies();
  const { keep } = all;
  const setBalance = (wei: bigint) =>
    all.gateway.rpc.call('anvil_setBalance', [all.gateway.keys.operator.address, `0x${wei.toString(16)}`]);

  beforeEach(async () => {
    await setBalance(10n ** 22n);
    keep(all.gateway.startWatcher());
  });

  const start = (more: RunOptions): Running =>
    all.gateway.startLane({ urls: all.proxies.map(({ url }) => url), network: { quorum: 2 }, ...more });
  const idsOf = (payments: readonly TestPayment[]): string[] => payments.map(({ id }) => id);
  return {
    get gateway() {
      return all.gateway;
    },
    get proxies() {
      return all.proxies;
    },
    get liar() {
      return all.proxies[0]!;
    },
    setBalance,
    keep,
    lane: (more = {}) => keep(start(more)),
    inTime: (payments, ms) =>
      allAre(all.gateway, payments, 'awaiting_payment', ms).then(
        () => true,
        () => false,
      ),
    slotsOf: (payments) =>
      all.gateway
        .knex('tx_slots as s')
        .join('tx_intents as i', 'i.slot_id', 's.id')
        .whereIn('i.payment_id', idsOf(payments))
        .distinct('s.id', 's.nonce', 's.gas_limit', 's.tx_hash', 's.gas_used', 's.effective_gas_price')
        .orderBy('s.nonce'),
    waitsOf: (payments) =>
      all.gateway.knex('payment_waits').whereIn('payment_id', idsOf(payments)).distinct('reason').pluck('reason'),
    told: async () =>
      (await all.gateway.knex('alerts').select('kind', 'message'))
        .map(({ kind, message }) => `${kind}: ${message}`)
        .filter((own) => !own.startsWith('registry_')),
  };
};

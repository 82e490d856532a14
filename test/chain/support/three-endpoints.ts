import { startGateway, type Gateway, type Running, type RunOptions, type TestPayment } from './gateway.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { allAre, stopAfterEach } from './running.ts';

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
  let gateway: Gateway;
  let proxies: Proxy[];
  const keep = stopAfterEach();
  const setBalance = (wei: bigint) =>
    gateway.rpc.call('anvil_setBalance', [gateway.keys.operator.address, `0x${wei.toString(16)}`]);

  beforeAll(async () => {
    gateway = await startGateway({ confirmations: 2 });
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
    await gateway.knex('alerts').delete();
    await setBalance(10n ** 22n);
    keep(gateway.startWatcher());
  });
  afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

  const start = (more: RunOptions): Running =>
    gateway.startLane({ urls: proxies.map(({ url }) => url), network: { quorum: 2 }, ...more });
  const idsOf = (payments: readonly TestPayment[]): string[] => payments.map(({ id }) => id);
  return {
    get gateway() {
      return gateway;
    },
    get proxies() {
      return proxies;
    },
    get liar() {
      return proxies[0]!;
    },
    setBalance,
    keep,
    lane: (more = {}) => keep(start(more)),
    inTime: (payments, ms) =>
      allAre(gateway, payments, 'awaiting_payment', ms).then(
        () => true,
        () => false,
      ),
    slotsOf: (payments) =>
      gateway
        .knex('tx_slots as s')
        .join('tx_intents as i', 'i.slot_id', 's.id')
        .whereIn('i.payment_id', idsOf(payments))
        .distinct('s.id', 's.nonce', 's.gas_limit', 's.tx_hash', 's.gas_used', 's.effective_gas_price')
        .orderBy('s.nonce'),
    waitsOf: (payments) =>
      gateway.knex('payment_waits').whereIn('payment_id', idsOf(payments)).distinct('reason').pluck('reason'),
    told: async () =>
      (await gateway.knex('alerts').select('kind', 'message'))
        .map(({ kind, message }) => `${kind}: ${message}`)
        .filter((own) => !own.startsWith('registry_')),
  };
};

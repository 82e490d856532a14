import { startGateway, type Gateway, type Running, type RunOptions, type TestPayment } from './gateway.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { allAre, stopAfterEach } from './running.ts';

/** A gateway for each test of the file. Its lanes use three endpoints with a quorum of two, and the leading one lies. */
export interface LiarsGateway {
  readonly gateway: Gateway;
  readonly proxies: readonly Proxy[];
  readonly liar: Proxy;
  readonly lane: (more?: RunOptions) => Running;
  /** Alerts but those about the registry, as `kind: message`. */
  readonly told: () => Promise<string[]>;
  /** True when the deals of all payments are on the chain in time. */
  readonly inTime: (payments: readonly TestPayment[], ms: number) => Promise<boolean>;
}

/** Starts and ends it with each test of the file, together with a watcher. */
export const startLiarsGateway = (): LiarsGateway => {
  const keep = stopAfterEach();
  const own = {
    lane: (more = {}) =>
      keep(own.gateway.startLane({ urls: own.proxies.map(({ url }) => url), network: { quorum: 2 }, ...more })),
    told: async () =>
      (await own.gateway.knex('alerts').select('kind', 'message'))
        .map(({ kind, message }) => `${kind}: ${message}`)
        .filter((line) => !line.startsWith('registry_')),
    inTime: (payments, ms) =>
      allAre(own.gateway, payments, 'awaiting_payment', ms).then(
        () => true,
        () => false,
      ),
  } as { -readonly [Key in keyof LiarsGateway]: LiarsGateway[Key] };
  beforeEach(async () => {
    own.gateway = await startGateway({ confirmations: 2 });
    own.proxies = await Promise.all([1, 2, 3].map(() => startProxy(own.gateway.chain.url)));
    own.liar = own.proxies[0]!;
    await own.gateway.knex('alerts').delete();
    keep(own.gateway.startWatcher());
  });
  afterEach(async () => {
    await Promise.all(own.proxies.map((proxy) => proxy.close()));
    await own.gateway.close();
  });
  return own;
};

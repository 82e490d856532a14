import type { ChainActivityDeps } from '../activities/runs.ts';
import { createDeployer } from '../chain/deploy/deployer.ts';
import { withoutRole } from '../chain/deploy/roles.ts';
import { createLane } from '../chain/lane/lane.ts';
import { createOffering } from '../chain/offers/offering.ts';
import { RpcError } from '../chain/rpc/error.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import type { Keystore } from '../chain/signing/keystore.ts';
import { createWatcher } from '../chain/watcher/watcher.ts';
import type { connect } from '../db/connection.ts';
import { isLaneOver, offeringNetworks, signersOf } from '../db/lane/accounts.ts';
import type { NamedKey } from '../db/lane/holders.ts';
import { createLaneStore } from '../db/lane/store.ts';
import { createOfferStore } from '../db/offers/store.ts';
import type { Notifications } from '../db/outbox/notifications.ts';
import { recordLook } from '../db/processes/processes.ts';
import { isAtRest } from '../db/catalogue/retire.ts';
import { createWatchStore } from '../db/watcher/store.ts';
import type { Deployer } from '../domain/ports/deployment.ts';
import type { ChainRun } from '../domain/ports/chain-run.ts';
import type { NetworkTrouble } from '../domain/payment.ts';
import { unreadRegistry } from '../domain/ports/offers.ts';
import type { Failpoint } from '../domain/ports/failpoint.ts';
import type { Log } from '../domain/ports/log.ts';
import { createEncryption } from '../runtime/encryption.ts';
import type { Connection, Networks } from './networks.ts';

/** The dependencies that lanes, watchers and deployers of a process share. */
export interface ChainDeps {
  readonly knex: ReturnType<typeof connect>;
  readonly keystore: Keystore;
  readonly networks: Pick<Networks, 'connect'>;
  /** Usual transactions that the balance of a key should cover. */
  readonly lowFunds: number;
  /** Encrypts stored offers. */
  readonly masterKey: Uint8Array;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** The chain's dependencies of the activities. */
export interface ChainParts extends Pick<ChainActivityDeps, 'runLane' | 'runOffers' | 'runWatcher'> {
  readonly deployer: (networkId: string) => Promise<Deployer>;
  /** The trouble of endpoints behind an error; null for any other error. */
  readonly networkTrouble: (error: unknown) => NetworkTrouble | null;
  /** The network's keys that lack their role in its registry. */
  readonly withoutRole: (networkId: string, keys: readonly NamedKey[]) => Promise<readonly NamedKey[]>;
}

/** Wraps every method call of a part in `call`. */
const wrapped = <Part extends object>(part: Part, call: (method: () => unknown) => unknown): Part =>
  new Proxy(part, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => call(() => Reflect.apply(value, target, args));
    },
  });

/** Milliseconds between two records that a watcher is at the head of its chain. */
const LOOK_MS = 2_000;

/** Makes a run record periodically that its watcher has nothing more to read; operators see the age of that record. */
const noting = ({ knex, log }: Pick<ChainDeps, 'knex' | 'log'>, networkId: string, run: ChainRun): ChainRun => {
  let notedAt = -Infinity;
  return {
    ...run,
    heartbeat: (details) => {
      run.heartbeat(details);
      if (details?.place !== 'head' || performance.now() - notedAt < LOOK_MS) return;
      notedAt = performance.now();
      recordLook(knex, networkId, details.last_block as number | null).catch((error: unknown) =>
        log.debug('The state of a watcher could not be recorded', { error: (error as Error).name }),
      );
    },
  };
};

/** Makes every call of a part a heartbeat: one step may take many requests and statements, each of which is short. */
const beating = <Part extends object>(part: Part, { heartbeat }: ChainRun): Part =>
  wrapped(part, (method) => {
    heartbeat();
    return method();
  });

/** Aborts the calls of a client when its network changes, so that nobody waits for a removed endpoint. */
const givenUpWith = (rpc: Rpc, changed: AbortSignal): Rpc =>
  wrapped(rpc, (method) => {
    const result = method();
    return result instanceof Promise ? unlessAborted(result, changed) : result;
  });

const unlessAborted = async (result: Promise<unknown>, signal: AbortSignal): Promise<unknown> => {
  let giveUp = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(new RpcError('aborted', 'the catalogue has changed the network'));
  });
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
};

/**
 * Runs a lane, a watcher or the signing of offers on the current network until the network is at rest, and starts again
 * after each change of the network.
 */
const following =
  ({ connect }: ChainDeps['networks']) =>
  async (networkId: string, run: ChainRun, work: (at: Connection, run: ChainRun) => Promise<void>): Promise<void> => {
    for (;;) {
      const at = await connect(networkId);
      if (at.network.isAtRest) return;
      await work(at, { ...run, signal: AbortSignal.any([run.signal, at.changed]) });
      if (!at.changed.aborted || run.signal.aborted || performance.now() >= run.deadlineMs) return;
    }
  };

/**
 * Creates lanes, watchers and deployers. When the catalogue changes a network, a run ends its step and restarts with
 * the new configuration, so that no step mixes the two.
 */
export const createChainParts = (deps: ChainDeps): ChainParts => {
  const { knex, keystore, networks, notifications } = deps;
  const follow = following(networks);
  const offerStore = createOfferStore(knex, createEncryption(deps.masterKey));
  /** The dependencies of a lane or a watcher in one run. */
  const partsOf = <Store extends object>({ network, rpc }: Connection, store: Store, run: ChainRun) => {
    const { log, failpoint } = deps;
    return { network, rpc: beating(rpc, run), store: beating(store, run), log, failpoint };
  };

  return {
    deployer: async (networkId) => {
      const { network, rpc, changed } = await networks.connect(networkId);
      return createDeployer({ network, rpc: givenUpWith(rpc, changed), ...(await signersOf(knex, networkId)) });
    },

    // A changed catalogue is no trouble, because the next try asks the new endpoints.
    networkTrouble: (error) => (error instanceof RpcError && error.kind !== 'aborted' ? error.waiting : null),

    withoutRole: async (networkId, keys) =>
      withoutRole(
        await networks.connect(networkId),
        keys.map((key) => ({ ...key, account: key.address })),
      ),

    runLane: async ({ networkId, accountId, address }, activity) => {
      if (await isLaneOver(knex, accountId)) return { isOver: true };
      const notified = notifications.source({ carat_lane: accountId, carat_block: networkId });
      try {
        const signer = keystore.signer(address);
        await follow(networkId, activity, (at, run) =>
          createLane({ ...partsOf(at, createLaneStore(knex), run), signer, lowFunds: deps.lowFunds }).run({
            accountId,
            ...run,
            notified,
          }),
        );
        return { isOver: await isLaneOver(knex, accountId) };
      } finally {
        notified.close();
      }
    },

    runOffers: async (networkId, activity) => {
      if (!(await offeringNetworks(knex)).includes(networkId)) {
        // Nobody learns any more whether they have their role.
        await offerStore.recordRegistry(networkId, unreadRegistry);
        return { isOver: true };
      }
      const notified = notifications.source({ carat_offers: networkId });
      const signerOf = (address: string) => (keystore.addresses.includes(address) ? keystore.signer(address) : null);
      try {
        await follow(networkId, activity, (at, run) =>
          createOffering({ ...partsOf(at, offerStore, run), signerOf }).run({
            ...run,
            notified,
          }),
        );
        return { isOver: false };
      } finally {
        notified.close();
      }
    },

    runWatcher: async (networkId, activity) => {
      if (await isAtRest(knex, networkId)) return { isOver: true };
      const notified = notifications.source({});
      try {
        const noted = noting(deps, networkId, activity);
        await follow(networkId, noted, (at, run) =>
          createWatcher(partsOf(at, createWatchStore(knex), run)).run({ ...run, notified }),
        );
        return { isOver: await isAtRest(knex, networkId) };
      } finally {
        notified.close();
      }
    },
  };
};

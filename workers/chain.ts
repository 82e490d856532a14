import type { ChainActivityDeps } from '../activities/chain.ts';
import { createDeployer } from '../chain/deploy/deployer.ts';
import { createLane } from '../chain/lane/lane.ts';
import type { Keystore } from '../chain/signing/keystore.ts';
import { createWatcher } from '../chain/watcher/watcher.ts';
import type { connect } from '../db/connection.ts';
import { isLaneOver, signersOf } from '../db/lane/accounts.ts';
import { createLaneStore } from '../db/lane/store.ts';
import type { Notifications } from '../db/outbox/notifications.ts';
import { createWatchStore } from '../db/watcher/store.ts';
import type { Deployer } from '../domain/ports/deployment.ts';
import type { ChainRun } from '../domain/ports/chain-run.ts';
import type { Failpoint } from '../domain/ports/failpoint.ts';
import type { Log } from '../domain/ports/log.ts';
import { createNetworks } from './networks.ts';

/** What lanes, watchers and deployers share in one process. */
export interface ChainDeps {
  readonly knex: ReturnType<typeof connect>;
  readonly keystore: Keystore;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** The chain, as the activities want it. */
export interface ChainParts extends Pick<ChainActivityDeps, 'runLane' | 'runWatcher'> {
  readonly deployer: (networkId: string) => Promise<Deployer>;
}

/** The same part, each call of which is a sign of life: a look may take many requests and statements, one of them not long. */
const beating = <Part extends object>(part: Part, { heartbeat }: ChainRun): Part =>
  new Proxy(part, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        heartbeat();
        return Reflect.apply(value, target, args);
      };
    },
  });

/** Puts lanes, watchers and deployers together, anew for each run, so that a changed catalogue takes effect by itself. */
export const createChainParts = ({ knex, keystore, notifications, log, failpoint }: ChainDeps): ChainParts => {
  const connectTo = createNetworks({ knex, log });

  return {
    deployer: async (networkId) =>
      createDeployer({ ...(await connectTo(networkId)), ...(await signersOf(knex, networkId)) }),

    runLane: async ({ networkId, accountId, address }, run) => {
      if (await isLaneOver(knex, accountId)) return { isOver: true };
      const notified = notifications.source({ carat_lane: accountId, carat_block: networkId });
      try {
        const signer = keystore.signer(address);
        const { network, rpc } = await connectTo(networkId);
        const lane = createLane({
          network,
          rpc: beating(rpc, run),
          signer,
          store: beating(createLaneStore(knex), run),
          log,
          failpoint,
        });
        await lane.run({ accountId, ...run, notified });
        return { isOver: false };
      } finally {
        notified.close();
      }
    },

    runWatcher: async (networkId, run) => {
      const notified = notifications.source({});
      try {
        const { network, rpc } = await connectTo(networkId);
        const watcher = createWatcher({
          network,
          rpc: beating(rpc, run),
          store: beating(createWatchStore(knex), run),
          log,
          failpoint,
        });
        await watcher.run({ ...run, notified });
      } finally {
        notified.close();
      }
    },
  };
};

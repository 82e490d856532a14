import type { connect } from '../db/connection.ts';
import { UnknownRecordError } from '../activities/failures.ts';
import type { Deployer } from '../activities/deployment.ts';
import type { Fault } from '../activities/fault.ts';
import type { LaneDeps } from '../activities/lane.ts';
import type { WatchDeps } from '../activities/watch.ts';
import { createDeployer } from '../chain/deploy/deployer.ts';
import type { Keystore } from '../chain/signing/keystore.ts';
import { createLane } from '../chain/lane/lane.ts';
import type { Platform } from '../chain/pure/addresses.ts';
import { createRpc, type Rpc } from '../chain/rpc/rpc.ts';
import { createWatcher } from '../chain/watcher/watcher.ts';
import { createLaneStore } from '../db/lane/store.ts';
import { watchedNetwork } from '../db/watcher/networks.ts';
import { signerAccounts } from '../db/lane/accounts.ts';
import type { WakeHub } from '../db/outbox/notifications.ts';
import { createWatchStore } from '../db/watcher/store.ts';
import type { Log } from '../domain/log.ts';
import type { WatchedNetwork } from '../domain/watch.ts';

export interface ChainDeps {
  readonly knex: ReturnType<typeof connect>;
  readonly keystore: Keystore;
  readonly platform: Platform;
  readonly wakeHub: WakeHub;
  readonly log: Log;
  readonly fault: Fault;
}

export interface ChainParts {
  readonly deployer: (networkId: string) => Promise<Deployer>;
  readonly runLane: LaneDeps['runLane'];
  readonly runWatcher: WatchDeps['runWatcher'];
}

/** Puts lanes, watchers and deployers together, anew for each run, so that a changed catalogue takes effect by itself. */
export const createChainParts = ({ knex, keystore, platform, wakeHub, log, fault }: ChainDeps): ChainParts => {
  const reach = async (networkId: string): Promise<{ network: WatchedNetwork; rpc: Rpc }> => {
    const network = await watchedNetwork(knex, networkId);
    if (network === null) throw new UnknownRecordError(`There is no network ${networkId}`);
    return { network, rpc: createRpc({ urls: network.rpcUrls, eip155: network.eip155 }) };
  };

  return {
    deployer: async (networkId) => {
      const accounts = (await signerAccounts(knex)).filter((account) => account.networkId === networkId);
      const withRole = (role: string): string[] =>
        accounts.filter((account) => account.role === role).map(({ address }) => address);
      return createDeployer({
        ...(await reach(networkId)),
        platform,
        operators: withRole('operator'),
        upgraders: withRole('upgrader'),
      });
    },

    runLane: async ({ networkId, accountId, address }, run) => {
      const wake = wakeHub.source({ carat_lane: accountId, carat_block: networkId });
      try {
        const signer = keystore.signer(address);
        const lane = createLane({
          ...(await reach(networkId)),
          signer,
          store: createLaneStore(knex),
          platform,
          log,
          fault,
        });
        await lane.run({ accountId, ...run, wake });
      } finally {
        wake.close();
      }
    },

    runWatcher: async (networkId, run) => {
      const wake = wakeHub.source({});
      try {
        const watcher = createWatcher({ ...(await reach(networkId)), store: createWatchStore(knex), log, fault });
        await watcher.run({ ...run, wake });
      } finally {
        wake.close();
      }
    },
  };
};

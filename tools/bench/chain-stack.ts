import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { createDeployer } from '../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../chain/deploy/prepare.ts';
import { diamondAddress } from '../../chain/pure/platform.ts';
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { createKeySigner, type Signer } from '../../chain/signing/signer.ts';
import { watchedNetwork } from '../../db/watcher/networks.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { devAccounts, devPlatform } from '../stack/accounts.ts';
import { startChain, type Chain } from '../stack/chain.ts';
import { startGeth } from '../stack/geth.ts';
import { freePorts } from '../process/ports.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { createWorld, type World } from '../../test/support/fixtures.ts';
import { makeDir, startPostgresIn } from './database/server.ts';

/** anvil's flags; they are part of every published figure. */
export const chainFlags = { chainId: 31_337, blockTime: 0.2, gasLimit: 1_000_000_000 } as const;

/** The chain's client. geth's blocks are a second apart, its minimum. */
export type BenchClient = 'anvil' | 'geth';

export interface ChainStack {
  readonly knex: Knex;
  readonly databaseUrl: string;
  readonly chain: Chain;
  readonly rpc: Rpc;
  readonly network: WatchedNetwork;
  readonly world: World;
  stop(): Promise<void>;
}

/** PostgreSQL with its default durability, one chain, and one merchant whose diamond is active. */
export const startChainStack = async (
  operators: readonly Signer[],
  client: BenchClient = 'anvil',
): Promise<ChainStack> => {
  const dir = makeDir();
  const [postgresPort = 0, chainPort = 0] = await freePorts(2);
  const postgres = await startPostgresIn(dir, postgresPort);
  const place = { ...chainFlags, name: 'the chain', port: chainPort, logFile: path.join(dir, `${client}.log`) };
  const blockTime = client === 'geth' ? 1 : chainFlags.blockTime;
  const chain =
    client === 'geth'
      ? await startGeth({ ...place, blockTime, rules: 'osaka', folder: path.join(dir, client), report: console.error })
      : await startChain({ ...place, cacheDir: path.join(dir, client) });
  await migrateDatabase(postgres.url);
  const knex = knexFactory({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 10 } });
  const rpc = createRpc({ urls: [chain.url], eip155: chainFlags.chainId });
  const root = createKeySigner(devAccounts.root.privateKey);
  const settings = { platform: devPlatform, root: root.address, guardian: devAccounts.guardian.address };
  await prepareNetwork({
    network: { ...settings, name: 'the chain', eip155: chainFlags.chainId, quorum: 1, confirmations: 1 },
    rpc,
    rootSigner: root,
    operators: operators.map(({ address }) => address),
    upgraders: [devAccounts.upgrader.address],
  });
  const ids = { nodeId: crypto.randomUUID(), walletId: crypto.randomUUID() };
  const world = await createWorld(knex, {
    ...ids,
    ...settings,
    confirmations: 1,
    eip155: chainFlags.chainId,
    rpcUrls: [chain.url],
    blockTimeMs: blockTime * 1_000,
    operatorAddress: operators[0]!.address,
    diamondAddress: diamondAddress(devPlatform, ids.nodeId, ids.walletId),
  });
  const network = (await watchedNetwork(knex, world.networkId))!;
  const call = createDeployer({ network, rpc }).createDiamondCall(ids.nodeId, ids.walletId);
  await sendCalls(rpc, root, chainFlags.chainId, [{ what: 'create the diamond', ...call }]);
  return {
    knex,
    databaseUrl: postgres.url,
    chain,
    rpc,
    network,
    world,
    stop: async () => {
      await knex.destroy();
      await chain.stop();
      await postgres.stop();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
};

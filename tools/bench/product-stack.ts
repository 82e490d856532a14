import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { makeCredentials } from '../../api/auth/credentials.ts';
import { startChain, type Chain } from '../stack/chain.ts';
import { freePorts } from '../process/ports.ts';
import { prepare, type Prepared } from '../stack/prepare.ts';
import { apiUrl, startApi, startWorker, type ProcessSettings } from '../process/services.ts';
import type { DevNetwork } from '../stack/settings.ts';
import { startTemporal } from '../stack/temporal.ts';
import { chainFlags } from './chain-stack.ts';
import { makeDir, startPostgresIn } from './database/server.ts';

export interface ProductStack {
  readonly api: string;
  readonly credentials: { readonly api_key: string; readonly secret: string };
  readonly knex: Knex;
  readonly databaseUrl: string;
  readonly masterKey: string;
  readonly chain: Chain;
  readonly temporal: { readonly address: string; readonly namespace: string };
  readonly catalogue: Prepared['catalogue'];
  /** Process ids, to measure memory and processor time. */
  readonly pids: Readonly<Record<'api' | 'worker' | 'postgres' | 'temporal' | 'chain', number>>;
  /** Starts api and worker again, with these environments in place of the ones before. */
  restart(own: OwnEnvironments): Promise<void>;
  stop(): Promise<void>;
}

/** Additions to the environment of one process each. */
export type OwnEnvironments = Readonly<Record<'api' | 'worker', Readonly<Record<string, string>>>>;

const network: DevNetwork = {
  name: 'bench',
  eip155: chainFlags.chainId,
  blockTime: chainFlags.blockTime,
  confirmations: 1,
  finality: 64,
};

/** Starts PostgreSQL, a chain and Temporal with their data in the folder. */
const startServices = async (dir: string, blockTime: number) => {
  const log = (name: string): string => path.join(dir, 'logs', `${name}.log`);
  const [postgresPort = 0, chainPort = 0, temporalPort = 0] = await freePorts(3);
  const pids = { postgres: 0, temporal: 0, chain: 0 };
  const spawned = (name: keyof typeof pids) => (pid: number) => void (pids[name] = pid);
  const [postgres, chain, temporal] = await Promise.all([
    startPostgresIn(dir, postgresPort, spawned('postgres')),
    startChain({
      ...chainFlags,
      blockTime,
      name: 'the chain',
      port: chainPort,
      accounts: 64,
      logFile: log('anvil'),
      cacheDir: path.join(dir, 'anvil'),
      onSpawn: spawned('chain'),
    }),
    startTemporal({
      port: temporalPort,
      logFile: log('temporal'),
      report: console.log,
      onSpawn: spawned('temporal'),
    }),
  ]);
  return { postgres, chain, temporal, pids };
};

export interface ProductOptions {
  /** Names of the nodes below the root. Default: one, `merchant`. */
  readonly merchants?: readonly string[];
  /** Additions to the environment of api and worker. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Seconds between two blocks. Default: those of `chainFlags`. */
  readonly blockTime?: number;
  /** Where the product finds the chain, if not at its own URL: for a proxy between them. */
  readonly urlOf?: (url: string) => Promise<string>;
}

/** Starts the whole product in separate processes, with production timeouts and a fast chain. */
export const startProductStack = async ({
  merchants,
  environment,
  blockTime = chainFlags.blockTime,
  urlOf = async (url) => url,
}: ProductOptions = {}): Promise<ProductStack> => {
  const dir = makeDir();
  const { postgres, chain, temporal, pids } = await startServices(dir, blockTime);
  const [apiPort = 0] = await freePorts(1);
  const { apiKey, secret } = makeCredentials();
  const secrets = {
    postgresPassword: '',
    masterKey: crypto.randomBytes(32).toString('base64'),
    keystorePassphrase: crypto.randomBytes(16).toString('hex'),
    admin: { api_key: apiKey, secret },
  };
  const { catalogue, keystoreFile } = await prepare({
    databaseUrl: postgres.url,
    networks: [{ ...network, blockTime, url: await urlOf(chain.url) }],
    secrets,
    stateDir: dir,
    merchants,
    report: console.log,
  });
  const settings: ProcessSettings = {
    stateDir: dir,
    records: path.join(dir, 'processes'),
    databaseUrl: postgres.url,
    temporal: { address: temporal.address, namespace: temporal.namespace },
    apiPort,
    keystoreFile,
    secrets,
    environment: { CARAT_MAX_OPEN_PAYMENTS: '1000000', ...environment },
  };
  const startBoth = (own?: OwnEnvironments) =>
    Promise.all([
      startApi({ ...settings, environment: { ...settings.environment, ...own?.api } }),
      startWorker({ ...settings, environment: { ...settings.environment, ...own?.worker } }),
    ]);
  let [api, worker] = await startBoth();
  const knex = knexFactory({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 4 } });
  return {
    api: apiUrl(apiPort),
    credentials: secrets.admin,
    knex,
    databaseUrl: postgres.url,
    masterKey: secrets.masterKey,
    chain,
    temporal: settings.temporal,
    catalogue,
    get pids() {
      return { ...pids, api: api.pid, worker: worker.pid };
    },
    restart: async (own) => {
      await Promise.all([api.stop(), worker.stop()]);
      [api, worker] = await startBoth(own);
    },
    stop: async () => {
      await knex.destroy();
      await Promise.all([api.stop(), worker.stop()]);
      await Promise.all([temporal.stop(), chain.stop(), postgres.stop()]);
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
};

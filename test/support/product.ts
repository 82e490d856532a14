import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { devTokens, testTokenAddress } from '../../tools/stack/tokens.ts';
import { makeCredentials } from '../../api/auth/credentials.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import type { Chain, ChainOptions } from '../../tools/stack/chain.ts';
import type { DevStack } from '../../tools/stack/dev-file.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { prepare, type Prepared, type PrepareOptions } from '../../tools/stack/prepare.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { apiUrl, startApi, startWorker, type ProcessSettings } from '../../tools/process/services.ts';
import type { DevSecrets } from '../../tools/stack/secrets.ts';
import type { DevNetwork } from '../../tools/stack/settings.ts';
import type { Release } from '../../chain/pure/releases.ts';
import { startTestChain } from './chain.ts';
import { grantRole } from '../../db/roles.ts';
import type { TemporalAddress } from '../../outbox/temporal-client.ts';
import { createTestDatabase } from './database.ts';
import { recordsOf, testStack } from './stack.ts';
import { testTemporal } from './temporal.ts';

/** The whole product on its own database, chains and task queue: api and worker are processes that may be killed. */
export interface Product {
  /** As `.carat/dev.json` would say it, but for the ids of processes. */
  readonly dev: DevStack;
  readonly knex: Knex;
  readonly chains: Readonly<Record<string, Chain>>;
  readonly secrets: DevSecrets;
  /** Folder with `api.log` and `worker.log`. */
  readonly logs: string;
  readonly taskQueue: string;
  /** Starts a worker, of another folder if one is named; several may run. */
  startWorker(environment?: Record<string, string>, folder?: string): Promise<RunningProcess>;
  /** Starts a worker that kills itself at a failpoint (`point` or `point:n`), and lets `work` make it get there. */
  loseWorkerAt(fault: string, work: () => Promise<void>): Promise<void>;
  /** Starts the api, on the same port each time unless another one is named, of another folder if one is named. */
  startApi(port?: number, folder?: string, environment?: Record<string, string>): Promise<RunningProcess>;
  stop(): Promise<void>;
}

export interface ProductOptions {
  readonly networks?: readonly DevNetwork[];
  readonly chain?: Partial<ChainOptions>;
  /** Starts the chain of a network; an anvil by default. */
  readonly startChain?: (network: DevNetwork) => Promise<Chain>;
  /** Where the product finds a chain; by default the chain itself. For a proxy between them. */
  readonly urlOf?: (network: string, url: string) => string;
  readonly environment?: Record<string, string>;
  /** Of its networks at first; the newest by default. */
  readonly release?: Release;
  /** The folder whose api and worker run, if not this repository. */
  readonly folder?: string;
  /** Prepares its empty database and its chains, if not this repository's preparation. */
  readonly prepare?: (options: Omit<PrepareOptions, 'report'>) => Promise<Prepared>;
  /** Api and worker use a role of their own, as in docker-compose.yml, and not the owner's. */
  readonly ownRole?: boolean;
  /** A Temporal in place of the run's own, for which `environment` names the rest. */
  readonly temporal?: TemporalAddress;
  /** An empty database for it, on a server of the test's own. */
  readonly databaseUrl?: string;
  /** Address of Temporal for api and worker, if not the run's own. */
  readonly temporalAddress?: string;
}

/** As the development networks, but faster. */
export const fastNetworks: readonly DevNetwork[] = [
  { name: 'alpha', eip155: 31_337, blockTime: 0.2, confirmations: 3, finality: 64 },
];

/** Prepares a product; api and worker are started by the test. */
export const createProduct = async (options: ProductOptions = {}): Promise<Product> => {
  const networks = options.networks ?? fastNetworks;
  const { dir } = testStack();
  const stateDir = path.join(dir, `product-${crypto.randomBytes(4).toString('hex')}`);
  fs.mkdirSync(stateDir, { recursive: true });
  const records = recordsOf(dir, process.pid);
  const databaseUrl = options.databaseUrl ?? (await createTestDatabase({ isEmpty: options.prepare !== undefined })).url;
  const anvil = ({ eip155, blockTime }: DevNetwork) => startTestChain({ chainId: eip155, blockTime, ...options.chain });
  const { startChain = anvil } = options;
  const chains = Object.fromEntries(
    await Promise.all(networks.map(async (network) => [network.name, await startChain(network)] as const)),
  );
  const admin = makeCredentials();
  const secrets = {
    postgresPassword: '',
    masterKey: crypto.randomBytes(32).toString('base64'),
    keystorePassphrase: crypto.randomBytes(16).toString('hex'),
    admin: { api_key: admin.apiKey, secret: admin.secret },
  };
  const ownPrepare = options.prepare ?? ((wanted) => prepare({ ...wanted, report: () => {} }));
  const { catalogue, keystoreFile } = await ownPrepare({
    databaseUrl,
    // All products of a run share one Temporal, whose lanes and watchers are named after the network.
    networks: networks.map((network) => ({ ...network, id: crypto.randomUUID(), url: chains[network.name]!.url })),
    secrets,
    stateDir,
    release: options.release,
  });
  const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 5 } });
  for (const { name } of networks) {
    const url = options.urlOf?.(name, chains[name]!.url) ?? chains[name]!.url;
    await knex('networks')
      .where({ name })
      .update({ rpc_urls: [url] });
  }
  const [apiPort = 0] = await freePorts(1);
  const processUrl = new URL(databaseUrl);
  if (options.ownRole === true) {
    [processUrl.username, processUrl.password] = [`app_${crypto.randomBytes(6).toString('hex')}`, 'a-password'];
    await grantRole(databaseUrl, processUrl.href);
  }
  const temporal = testTemporal();
  const address = options.temporal?.address ?? options.temporalAddress ?? temporal.address;
  const { namespace } = options.temporal ?? temporal;
  const settings: ProcessSettings = {
    stateDir,
    records,
    databaseUrl: processUrl.href,
    temporal: options.temporal ?? { address, namespace },
    apiPort,
    keystoreFile,
    secrets,
    taskQueue: temporal.taskQueue,
    environment: { CARAT_PROFILE: 'test', ...options.environment },
    folder: options.folder,
  };
  const processes: RunningProcess[] = [];
  const started = async (starting: Promise<RunningProcess>): Promise<RunningProcess> => {
    const running = await starting;
    processes.push(running);
    return running;
  };
  return {
    dev: {
      api: apiUrl(apiPort),
      docs: `${apiUrl(apiPort)}/docs`,
      temporal: { address, namespace, ui: '' },
      database: databaseUrl,
      admin: secrets.admin,
      operator: {},
      nodes: { ...catalogue.nodes },
      chains: { ...catalogue.chains },
      networks: Object.fromEntries(
        networks.map(({ name, eip155 }) => [
          name,
          { id: catalogue.networks[name]!, chain_id: catalogue.chains.devnet!, eip155, rpc: chains[name]!.url },
        ]),
      ),
      currencies: Object.fromEntries(
        [{ symbol: 'ETH', decimals: 18, address: null }, ...devTokens.map(withAddress)].map(
          ({ symbol, decimals, address: token }) => [
            symbol,
            {
              id: catalogue.currencies[symbol]!,
              tokens: Object.fromEntries(networks.map(({ name }) => [name, { address: token, decimals }])),
            },
          ],
        ),
      ),
      buyer: { address: devAccounts.buyer.address, private_key: devAccounts.buyer.privateKey },
      pids: {},
    },
    knex,
    chains,
    secrets,
    logs: path.join(stateDir, 'logs'),
    taskQueue: temporal.taskQueue,
    startApi: (port = apiPort, folder = settings.folder, more = {}) =>
      started(startApi({ ...settings, environment: { ...settings.environment, ...more }, apiPort: port, folder })),
    startWorker: (more, folder = settings.folder) =>
      started(startWorker({ ...settings, environment: { ...settings.environment, ...more }, folder })),
    loseWorkerAt: async (fault, work) => {
      const environment = { ...settings.environment, CARAT_FAULT: fault };
      const running = await started(startWorker({ ...settings, environment })).catch((error: unknown) => {
        // Work of before has killed it before it counted as started.
        if ((error as Error).message.includes('ended at once (SIGKILL)')) return null;
        throw error;
      });
      // Not before: Temporal waits longer and longer for a task that was with many workers that died.
      await work();
      const end = running === null ? 'SIGKILL' : await running.exited;
      if (end !== 'SIGKILL') throw new Error(`the worker ended with ${end}`);
    },
    stop: async () => {
      await Promise.all(processes.map((running) => running.stop()));
      await knex.destroy();
      await Promise.all(Object.values(chains).map((chain) => chain.stop()));
    },
  };
};

const withAddress = (token: (typeof devTokens)[number]) => ({ ...token, address: testTokenAddress(token) });

/** The environment of a command that looks at the product as an operator does. */
export const commandEnvironment = ({
  dev,
  secrets,
  taskQueue,
}: Pick<Product, 'dev' | 'secrets' | 'taskQueue'>): Record<string, string> => ({
  CARAT_DATABASE_URL: dev.database,
  CARAT_MASTER_KEY: secrets.masterKey,
  CARAT_TEMPORAL_ADDRESS: dev.temporal.address,
  CARAT_TEMPORAL_NAMESPACE: dev.temporal.namespace,
  CARAT_TASK_QUEUE: taskQueue,
  CARAT_PUBLIC_URL: dev.api,
});

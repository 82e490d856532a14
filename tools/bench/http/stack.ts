import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { createCaratClient } from '../../../client/client.ts';
import { connect } from '../../../db/connection.ts';
import { makeCredentials, storedCredentials } from '../../../api/auth/credentials.ts';
import { insertIntegration } from '../../../db/integrations/integrations.ts';
import { migrateDatabase } from '../../../db/migrate.ts';
import { freePorts } from '../../process/ports.ts';
import type { Postgres } from '../../stack/postgres.ts';
import { startProcess } from '../../process/process.ts';
import { apiUrl, startApi } from '../../process/services.ts';
import { permissions } from '../../../domain/access.ts';
import { createWorld, type World } from '../../../test/support/fixtures.ts';
import { makeDir, startPostgresIn } from '../database/server.ts';

/** The api and the base in separate processes on one PostgreSQL, with one merchant. */
export interface HttpStack {
  /** The merchant's node, wallet, network and currency. */
  readonly world: World;
  /** A bearer token that outlives a run. */
  token(): Promise<string>;
  readonly api: { readonly url: string; readonly pid: number };
  readonly base: { readonly url: string };
  readonly knex: Knex;
  /** File of PostgreSQL's log. */
  readonly databaseLog: string;
  stop(): Promise<void>;
}

/** The columns of a payment, and the indexes for a list, a lookup by key and a lookup by external_id. */
const baseTable = `
CREATE TABLE bench_payments (
  id uuid PRIMARY KEY, node_id uuid, external_id text, chain_id uuid, network_id uuid, wallet_id uuid, currency_id uuid,
  price numeric, paid_price numeric, payment_method text, payment_group text, payment_address text, metadata text,
  client_ip text, retry boolean, retry_count integer, expires_at timestamptz, status text, created_at timestamptz,
  updated_at timestamptz, UNIQUE (node_id, external_id));
CREATE INDEX ON bench_payments (node_id, created_at DESC, id DESC)`;

const isUp = async (url: string): Promise<boolean> => (await fetch(`${url}/payments/${randomUUID()}`)).status === 404;

/**
 * Starts everything except Temporal, so commands wait in the outbox, as in an outage of Temporal.
 * @param environment additions to the api's environment
 */
export const startHttpStack = async (environment: Readonly<Record<string, string>> = {}): Promise<HttpStack> => {
  const dir = makeDir();
  const [postgresPort = 0, apiPort = 0, basePort = 0] = await freePorts(3);
  const postgres = await startPostgresIn(dir, postgresPort);
  try {
    return await startServers({ dir, postgres, apiPort, basePort, environment });
  } catch (error) {
    await postgres.stop();
    fs.rmSync(dir, { recursive: true, force: true });
    throw error;
  }
};

const createMerchant = async (knex: Knex, url: string): Promise<Pick<HttpStack, 'world' | 'token'>> => {
  const world = await createWorld(knex);
  const credentials = makeCredentials();
  const integration = { node_id: world.nodeId, name: 'bench', permissions, expires_at: null, created_by: null };
  await insertIntegration(knex, { ...integration, ...storedCredentials(credentials) });
  const grant = {
    grant_type: 'client_credentials',
    client_id: credentials.apiKey,
    client_secret: credentials.secret,
  } as const;
  const client = createCaratClient({ url });
  return { world, token: async () => (await client.issueToken(grant)).access_token };
};

/** The body of a payment of this merchant; each `#` needs a fresh text. */
export const paymentBody = ({ nodeId, networkId, walletId, currencyId }: World): string =>
  JSON.stringify({
    external_id: 'order-#',
    node_id: nodeId,
    network_id: networkId,
    wallet_id: walletId,
    currency_id: currencyId,
    price: 15,
    paid_price: 12.5,
    payment_method: 'web3',
    payment_group: 'product',
    payment_address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });

interface Parts {
  readonly dir: string;
  readonly postgres: Postgres;
  readonly apiPort: number;
  readonly basePort: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the servers on a running PostgreSQL. */
const startServers = async ({ dir, postgres, apiPort, basePort, environment }: Parts): Promise<HttpStack> => {
  await migrateDatabase(postgres.url);
  const knex = connect(postgres.url, { pool: 4 });
  await knex.raw(baseTable);
  const secrets = {
    postgresPassword: '',
    masterKey: randomBytes(32).toString('base64'),
    keystorePassphrase: '',
    admin: { api_key: '', secret: '' },
  };
  const api = await startApi({
    stateDir: dir,
    records: path.join(dir, 'processes'),
    databaseUrl: postgres.url,
    temporal: { address: '127.0.0.1:1', namespace: 'default' },
    apiPort,
    keystoreFile: '',
    secrets,
    environment: {
      CARAT_MAX_OPEN_PAYMENTS: '100000000',
      // Enabled, but never reached.
      CARAT_RATE_LIMIT: '100000',
      CARAT_RATE_BURST: '100000',
      CARAT_IP_RATE_LIMIT: '100000',
      CARAT_IP_RATE_BURST: '100000',
      ...environment,
    },
  });
  const base = await startProcess({
    name: 'the base',
    command: process.execPath,
    args: ['tools/bench/http/base.ts'],
    env: { ...process.env, BENCH_DATABASE_URL: postgres.url, BENCH_PORT: String(basePort) },
    logFile: path.join(dir, 'base.log'),
    isReady: () => isUp(apiUrl(basePort)),
  });
  return {
    ...(await createMerchant(knex, apiUrl(apiPort))),
    api: { url: apiUrl(apiPort), pid: api.pid },
    base: { url: apiUrl(basePort) },
    knex,
    databaseLog: path.join(dir, 'postgres.log'),
    stop: async () => {
      await Promise.all([api.stop(), base.stop(), knex.destroy()]);
      await postgres.stop();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
};

import fs from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import pg from 'pg';
import { dump } from 'js-yaml';
import { createKeystore, PUBLIC_KEYS_COST } from '../../chain/signing/keystore.ts';
import { checkNetwork } from '../../chain/deploy/network-check.ts';
import { prepareNetwork } from '../../chain/deploy/prepare.ts';
import type { Release } from '../../chain/pure/releases.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import type { AppliedCatalogue } from '../../db/catalogue/application.ts';
import { applyCatalogue } from '../../db/catalogue/apply.ts';
import { connect } from '../../db/connection.ts';
import { hashSecret, makeCredentials } from '../../api/auth/credentials.ts';
import { ensureAdmin } from '../../api/integrations/integrations.ts';
import { permissions } from '../../domain/access.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { shown } from '../paths.ts';
import { writeSecretFile, type DevSecrets } from './secrets.ts';
import { devAccounts, devPlatform } from './accounts.ts';
import { rpc } from './chain.ts';
import type { DevNetwork, NetworkAt } from './settings.ts';
import { devTokens, prepareTokens, testTokenAddress } from './tokens.ts';

export interface PrepareOptions {
  readonly databaseUrl: string;
  readonly networks: readonly NetworkAt[];
  readonly secrets: DevSecrets;
  readonly stateDir: string;
  /** Release of diamonds. Default: the newest. */
  readonly release?: Release;
  /** Names of the nodes below the root. Default: one, `merchant`. */
  readonly merchants?: readonly string[];
  readonly report: (line: string) => void;
}

/** A prepared stack, as api, worker and `.carat/dev.json` need it. */
export interface Prepared {
  readonly catalogue: AppliedCatalogue;
  /** Credentials of the admin integration. */
  readonly admin: DevSecrets['admin'];
  readonly keystoreFile: string;
}

/** Prepares database and chains for api and worker. Skips completed parts. */
export const prepare = async (options: PrepareOptions): Promise<Prepared> => {
  const { databaseUrl, networks, stateDir, report } = options;
  const applied = await migrateDatabase(databaseUrl);
  if (applied.length > 0) report(`migrated the database: ${applied.join(', ')}`);
  for (const network of networks) {
    const isKnown = await checkChain(databaseUrl, network, network.url);
    // anvil loses the states of loaded blocks, and payments are judged that deep.
    if (isKnown) await rpc(network.url, 'anvil_mine', [network.confirmations]);
  }
  await Promise.all(networks.map((network) => prepareChain(network, options)));

  const catalogue = demoCatalogue(networks, options.merchants);
  fs.writeFileSync(path.join(stateDir, 'catalogue.yaml'), dump(catalogue));
  const knex = connect(databaseUrl, { pool: 2, applicationName: 'carat npm start' });
  try {
    const ids = await applyCatalogue(knex, catalogue, checkNetwork);
    if (ids.changes > 0) report(`applied the demo catalogue: ${ids.changes} rows written`);
    const admin = await prepareAdmin(knex, ids.nodes.root ?? '', options);
    return { catalogue: ids, admin, keystoreFile: await prepareKeystore(stateDir, options.secrets) };
  } finally {
    await knex.destroy();
  }
};

/**
 * Compares a chain's genesis and height with the database.
 * @returns false when the database does not know the chain
 * @throws Error that names `npm run reset` when it is another chain, or one that lost too many blocks
 */
export const checkChain = async (databaseUrl: string, network: DevNetwork, rpcUrl: string): Promise<boolean> => {
  const stored = await storedChain(databaseUrl, network.name);
  if (!stored) return false;
  const genesis = (await rpc(rpcUrl, 'eth_getBlockByNumber', ['0x0', false])) as { hash: string };
  if (stored.genesis !== null && stored.genesis !== genesis.hash) {
    throw new Error(
      `the chain ${network.name} is not the one that the stored data belongs to: its genesis is ${genesis.hash}, ` +
        `the stored one ${stored.genesis}; start over with: npm run reset`,
    );
  }
  const tip = Number((await rpc(rpcUrl, 'eth_blockNumber')) as string);
  const lost = stored.scanned - tip;
  // Losing fewer blocks than the confirmations is an ordinary reorganisation, which the watcher handles.
  if (lost >= network.confirmations && lost > 0) {
    throw new Error(
      `the chain ${network.name} lost its last ${lost} blocks (it stands at ${tip}, the database at ${stored.scanned}), ` +
        `more than its ${network.confirmations} confirmation(s) allow; start over with: npm run reset`,
    );
  }
  return true;
};

interface StoredChain {
  readonly genesis: string | null;
  /** Number of the last block that was scanned; 0 before the first. */
  readonly scanned: number;
}

const storedChain = async (databaseUrl: string, name: string): Promise<StoredChain | undefined> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ genesis: string | null; scanned: string | null }>(
      `SELECT n.genesis_hash AS genesis, c.number AS scanned
         FROM networks n LEFT JOIN watch_cursors c ON c.network_id = n.id WHERE n.name = $1`,
      [name],
    );
    const [row] = rows;
    return row && { genesis: row.genesis, scanned: Number(row.scanned ?? 0) };
  } finally {
    await client.end();
  }
};

/** Deploys registry, batcher and facets and gives roles as root, and deploys the tokens as the buyer. */
const prepareChain = async (network: NetworkAt, { release, report }: PrepareOptions): Promise<void> => {
  const chainRpc = createRpc({ urls: [network.url], eip155: network.eip155 });
  const [{ transactions }] = await Promise.all([
    prepareNetwork({
      network: {
        ...network,
        quorum: 1,
        platform: devPlatform,
        root: devPlatform.firstRoot,
        guardian: devAccounts.guardian.address,
      },
      rpc: chainRpc,
      rootSigner: createKeySigner(devAccounts.root.privateKey),
      operators: [devAccounts.operator.address],
      upgraders: [devAccounts.upgrader.address],
      signers: [devAccounts.signer.address],
      release,
    }),
    prepareTokens(chainRpc, network.eip155),
  ]);
  if (transactions.length > 0) report(`prepared the chain ${network.name}: registry, batcher, facets, tokens`);
};

/**
 * The local stack's catalogue in the form of a catalogue file: a root node with its merchants, one chain with its
 * networks, the native coin and two tokens.
 */
export const demoCatalogue = (networks: readonly NetworkAt[], merchants: readonly string[] = ['merchant']): unknown => {
  const on = (address: string | null, more: object = {}) =>
    networks.map(({ name }) => ({ network: name, address, ...more }));
  return {
    nodes: [{ name: 'root', children: merchants.map((name) => ({ name })) }],
    chains: [
      {
        name: 'devnet',
        first_root: devPlatform.firstRoot,
        platform_id: devPlatform.id,
        approval_delay: Number(devPlatform.approvalDelay),
      },
    ],
    networks: networks.map(({ id, name, url, eip155, blockTime, confirmations, finality }) => ({
      ...(id ? { id } : {}),
      name,
      chain: 'devnet',
      eip155,
      rpc_urls: [url],
      public_rpc_urls: [url],
      confirmations,
      finality,
      block_time_ms: blockTime * 1_000,
      max_fee_per_gas_gwei: 500,
      operators: [devAccounts.operator.address],
      upgrader: devAccounts.upgrader.address,
      signers: [devAccounts.signer.address],
      guardian: devAccounts.guardian.address,
    })),
    currencies: [
      { symbol: 'ETH', name: 'Development coin', decimals: 18, tokens: on(null) },
      ...devTokens.map((token, index) => {
        const permit = index === 0 ? { permit: { name: token.name, version: '1' } } : {};
        return { ...token, tokens: on(testTokenAddress(token), permit) };
      }),
    ],
  };
};

interface StoredAdmin {
  readonly permissions: readonly string[];
  readonly secret_hash: Buffer;
  readonly revoked_at: Date | null;
  readonly expires_at: Date | null;
}

/**
 * Creates the root node's admin integration with the credentials of this clone. One of an earlier version gets the permissions that
 * have come since, which operators give themselves elsewhere. One that was revoked or
 * rotated over the API, or has expired, is replaced, and the clone keeps the credentials of the new one.
 * @returns the credentials of the live one
 */
export const prepareAdmin = async (
  knex: Knex,
  nodeId: string,
  { stateDir, secrets, report }: Pick<PrepareOptions, 'stateDir' | 'secrets' | 'report'>,
): Promise<DevSecrets['admin']> => {
  const { admin } = secrets;
  const credentials = { apiKey: admin.api_key, secret: admin.secret };
  const own = () => knex('integrations').where({ api_key: admin.api_key });
  const known = await own().first<StoredAdmin | undefined>('permissions', 'secret_hash', 'revoked_at', 'expires_at');
  if (known === undefined) {
    const { apiKey } = await ensureAdmin(knex, { nodeId, name: 'admin', credentials });
    if (apiKey === admin.api_key) return admin;
    throw new Error(
      `the database was made with other secrets than ${shown(path.join(stateDir, 'secrets.json'))}; start over with: npm run reset`,
    );
  }
  const isOver = known.revoked_at !== null || (known.expires_at !== null && known.expires_at <= new Date());
  if (isOver || !known.secret_hash.equals(hashSecret(admin.secret))) {
    const fresh = makeCredentials();
    const name = `admin since ${new Date().toISOString()}`;
    await ensureAdmin(knex, { nodeId, name, credentials: fresh });
    const replacement = { api_key: fresh.apiKey, secret: fresh.secret };
    writeSecretFile(path.join(stateDir, 'secrets.json'), { ...secrets, admin: replacement });
    report(`the admin integration was revoked, rotated or has expired: made a new one, "${name}"`);
    return replacement;
  }
  const missing = permissions.filter((permission) => !known.permissions.includes(permission));
  if (missing.length > 0) {
    await own().update({ permissions: [...permissions] });
    report(`gave the admin integration the new permissions: ${missing.join(', ')}`);
  }
  return admin;
};

/** Creates the encrypted keystore of operator, upgrader and signer for the worker. */
const prepareKeystore = async (stateDir: string, { keystorePassphrase }: DevSecrets): Promise<string> => {
  const file = path.join(stateDir, 'keystore.json');
  const keys = [devAccounts.operator, devAccounts.upgrader, devAccounts.signer];
  if (fs.existsSync(file)) {
    const { addresses } = JSON.parse(fs.readFileSync(file, 'utf8')) as { addresses: string[] };
    // The stack of an earlier version lacks keys that its roles have since.
    if (keys.every(({ address }) => addresses.includes(address.toLowerCase()))) return file;
  }
  const fresh = `${file}.new`;
  fs.rmSync(fresh, { force: true });
  await createKeystore(
    fresh,
    keystorePassphrase,
    keys.map(({ privateKey }) => privateKey),
    PUBLIC_KEYS_COST,
  );
  fs.renameSync(fresh, file);
  return file;
};

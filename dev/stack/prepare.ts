import fs from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { stringify } from 'yaml';
import { createKeystore } from '../../chain/signing/keystore.ts';
import { checkNetwork } from '../../chain/deploy/network-check.ts';
import { prepareNetwork } from '../../chain/deploy/prepare.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { applyCatalogue, type AppliedCatalogue } from '../../db/catalogue/apply.ts';
import { connect } from '../../db/connection.ts';
import { ensureAdmin } from '../../api/integrations/changes.ts';
import { migrate } from '../../db/migrate.ts';
import { devAccounts } from '../demo/accounts.ts';
import { checkChain } from './chain-check.ts';
import { demoCatalogue } from '../demo/catalogue.ts';
import { devPlatform } from '../process/services.ts';
import type { DevSecrets } from './secrets.ts';
import type { NetworkAt } from './settings.ts';
import { prepareTokens } from '../demo/tokens.ts';

/** What the stack is prepared from. */
export interface PrepareOptions {
  databaseUrl: string;
  networks: readonly NetworkAt[];
  secrets: DevSecrets;
  stateDir: string;
  report: (line: string) => void;
}

/** What api, worker and `.carat/dev.json` need of a prepared stack. */
export interface Prepared {
  catalogue: AppliedCatalogue;
  keystoreFile: string;
}

/** Brings database and chains to where api and worker can start. What is there already is left alone. */
export async function prepare(options: PrepareOptions): Promise<Prepared> {
  const { databaseUrl, networks, stateDir, report } = options;
  const applied = await migrate(databaseUrl);
  if (applied.length > 0) report(`migrated the database: ${applied.join(', ')}`);
  for (const network of networks) await checkChain(databaseUrl, network, network.url);
  await Promise.all(networks.map((network) => prepareChain(network, report)));

  const catalogue = demoCatalogue(networks);
  fs.writeFileSync(path.join(stateDir, 'catalogue.yaml'), stringify(catalogue));
  const knex = connect(databaseUrl, { pool: 2, applicationName: 'carat npm start' });
  try {
    const ids = await applyCatalogue(knex, catalogue, checkNetwork);
    if (ids.changes > 0) report(`applied the demo catalogue: ${ids.changes} rows written`);
    await prepareAdmin(knex, ids.nodes.root ?? '', options.secrets);
    return { catalogue: ids, keystoreFile: await prepareKeystore(stateDir, options.secrets) };
  } finally {
    await knex.destroy();
  }
}

/** Registry, batcher, facets and roles from root; the tokens beside them from the buyer. */
async function prepareChain(network: NetworkAt, report: (line: string) => void): Promise<void> {
  const rpc = createRpc({ urls: [network.url], eip155: network.eip155 });
  const [{ transactions }] = await Promise.all([
    prepareNetwork({
      rpc,
      eip155: network.eip155,
      rootSigner: createKeySigner(devAccounts.root.privateKey),
      platform: devPlatform,
      operators: [devAccounts.operator.address],
      upgraders: [devAccounts.upgrader.address],
      guardian: devAccounts.guardian.address,
    }),
    prepareTokens(rpc, network.eip155),
  ]);
  if (transactions.length > 0) report(`prepared the chain ${network.name}: registry, batcher, facets, tokens`);
}

/** The admin integration of the root node, with the credentials that this clone keeps. */
async function prepareAdmin(knex: Knex, nodeId: string, { admin }: DevSecrets): Promise<void> {
  const credentials = { apiKey: admin.api_key, secret: admin.secret };
  const { apiKey } = await ensureAdmin(knex, { nodeId, name: 'admin', credentials });
  if (apiKey === admin.api_key) return;
  throw new Error(
    'the database belongs to other secrets than those in .carat/secrets.json; start anew with: npm run reset',
  );
}

/** The encrypted keys of operator and upgrader, which the worker opens. */
async function prepareKeystore(stateDir: string, { keystorePassphrase }: DevSecrets): Promise<string> {
  const file = path.join(stateDir, 'keystore.json');
  if (fs.existsSync(file)) return file;
  const fresh = `${file}.new`;
  fs.rmSync(fresh, { force: true });
  const { operator, upgrader } = devAccounts;
  await createKeystore(fresh, keystorePassphrase, [operator.privateKey, upgrader.privateKey]);
  fs.renameSync(fresh, file);
  return file;
}

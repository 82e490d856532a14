import { parseArgs } from 'node:util';
import { openKeystore } from '../chain/signing/keystore.ts';
import { prepareNetwork } from '../chain/deploy/prepare.ts';
import { createRpc } from '../chain/rpc/rpc.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import { signerAccounts } from '../db/lane/accounts.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

/** Puts registry, batcher, facets, roles and release onto networks of the catalogue. */
export const networkPrepare = defineCommand({
  config: ['databaseUrl', 'platformRoot', 'platformId', 'approvalDelay', 'keystorePassphrase'],
  run: async ({ args, config, print, report }) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { all: { type: 'boolean' }, 'root-keystore': { type: 'string' }, guardian: { type: 'string' } },
    });
    const [name] = positionals;
    if (values['root-keystore'] === undefined || (name === undefined) !== (values.all ?? false)) {
      throw new UsageError('a network, or --all, and --root-keystore are needed');
    }
    const platform = {
      root: config.platformRoot,
      id: config.platformId,
      approvalDelay: BigInt(config.approvalDelay),
    };
    const keystore = await openKeystore(values['root-keystore'], config.keystorePassphrase);
    const payer = keystore.addresses.find((address) => address === platform.root) ?? keystore.addresses[0] ?? '';
    await withDatabase(config, async (knex) => {
      const networks = (await watchedNetworks(knex)).filter((network) => values.all || network.name === name);
      if (networks.length === 0) throw new Error(`the catalogue has no network ${name ?? ''}`);
      const accounts = await signerAccounts(knex);
      for (const network of networks) {
        const withRole = (role: string): string[] =>
          accounts.filter((a) => a.networkId === network.id && a.role === role).map(({ address }) => address);
        const prepared = await prepareNetwork({
          rpc: createRpc({ urls: network.rpcUrls, eip155: network.eip155 }),
          eip155: network.eip155,
          rootSigner: keystore.signer(payer),
          platform,
          operators: withRole('operator'),
          upgraders: withRole('upgrader'),
          guardian: values.guardian ?? platform.root,
          onProgress: (step) => report(`${network.name}: ${step}`),
        });
        print(`${network.name}: registry ${prepared.registry}, ${prepared.transactions.length} transactions sent`);
        if (prepared.rootCalls.length > 0) {
          print(
            `${network.name}: root ${platform.root} still has to make these calls, in this order; run this again then`,
          );
          for (const { what, to, data } of prepared.rootCalls) print(`  ${what}\n    to ${to}\n    data ${data}`);
        }
        if (prepared.releaseFrom !== null) {
          const from = new Date(prepared.releaseFrom * 1000).toISOString();
          print(`${network.name}: the facets may be used from ${from}; run this again then, to set the release`);
        }
      }
    });
  },
});

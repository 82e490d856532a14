import { parseArgs } from 'node:util';
import { prepareNetwork, type PreparedNetwork } from '../chain/deploy/prepare.ts';
import { createRpc } from '../chain/rpc/rpc.ts';
import { openKeystore } from '../chain/signing/keystore.ts';
import { platformOf } from '../config.ts';
import { signersOf } from '../db/lane/accounts.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

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
    const platform = platformOf(config);
    const keystore = await openKeystore(values['root-keystore'], config.keystorePassphrase);
    const payer = keystore.addresses.find((address) => address === platform.root) ?? keystore.addresses[0] ?? '';
    await withDatabase(config, async (knex) => {
      const networks = (await watchedNetworks(knex)).filter((network) => values.all || network.name === name);
      if (networks.length === 0) throw new Error(`the catalogue has no network ${name ?? ''}`);
      for (const network of networks) {
        const prepared = await prepareNetwork({
          rpc: createRpc({ urls: network.rpcUrls, eip155: network.eip155 }),
          eip155: network.eip155,
          rootSigner: keystore.signer(payer),
          platform,
          ...(await signersOf(knex, network.id)),
          guardian: values.guardian ?? platform.root,
          onProgress: (step) => report(`${network.name}: ${step}`),
        });
        print(`${network.name}: registry ${prepared.registry}, ${prepared.transactions.length} transactions sent`);
        for (const line of whatIsLeft(prepared, platform.root)) print(`${network.name}: ${line}`);
      }
    });
  },
});

/** What a preparation has to leave to others, or to later. */
const whatIsLeft = ({ rootCalls, releaseFrom }: PreparedNetwork, root: string): string[] => {
  const lines: string[] = [];
  if (rootCalls.length > 0) {
    const calls = rootCalls.map(({ what, to, data }) => `\n  ${what}\n    to ${to}\n    data ${data}`);
    lines.push(`root ${root} still has to make these calls, in this order; run this again then${calls.join('')}`);
  }
  if (releaseFrom !== null) {
    const from = new Date(releaseFrom * 1000).toISOString();
    lines.push(`the facets may be used from ${from}; run this again then, to set the release`);
  }
  return lines;
};

import { parseArgs } from 'node:util';
import { prepareNetwork, type PreparedNetwork } from '../chain/deploy/prepare.ts';
import type { PlannedCall } from '../chain/deploy/send-calls.ts';
import { registryAddress } from '../chain/pure/platform.ts';
import { createRpc } from '../chain/rpc/rpc.ts';
import { openKeystore } from '../chain/signing/keystore.ts';
import { signersOf } from '../db/lane/accounts.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** Puts registry, batcher, facets, roles and release onto networks of the catalogue. */
export const networkPrepare = defineCommand({
  config: ['databaseUrl', 'keystorePassphrase'],
  run: async ({ args, config, print, report }) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { all: { type: 'boolean' }, 'root-keystore': { type: 'string' } },
    });
    const [name, ...rest] = positionals;
    const one = name !== undefined && rest.length === 0;
    if (values['root-keystore'] === undefined || (values.all ? name !== undefined : !one)) {
      throw new UsageError('a network, or --all, and --root-keystore are needed');
    }
    const keystore = await openKeystore(values['root-keystore'], config.keystorePassphrase);
    await withDatabase(config, async (knex) => {
      const known = (await watchedNetworks(knex)).map((network) => ({
        network,
        registry: registryAddress(network.platform),
        rpc: createRpc({ urls: network.rpcUrls, eip155: network.eip155 }),
      }));
      const wanted = known.filter(({ network }) => values.all || network.name === name);
      if (wanted.length === 0) throw new Error(`the catalogue has no network ${name ?? ''}`);
      for (const each of wanted) {
        const { network, rpc, registry } = each;
        const payer = keystore.addresses.find((address) => address === network.root) ?? keystore.addresses[0] ?? '';
        const prepared = await prepareNetwork({
          network,
          rpc,
          others: known.filter((other) => other !== each && other.registry === registry),
          rootSigner: keystore.signer(payer),
          ...(await signersOf(knex, network.id)),
          onProgress: (step) => report(`${network.name}: ${step}`),
        });
        print(`${network.name}: registry ${prepared.registry}, ${prepared.transactions.length} transactions sent`);
        for (const line of whatIsLeft(prepared, network.root)) print(`${network.name}: ${line}`);
      }
    });
  },
});

/** Calls as people hand them to a multisig. */
export const callsText = (calls: readonly PlannedCall[]): string =>
  calls.map(({ what, to, data }) => `\n  ${what}\n    to ${to}\n    data ${data}`).join('');

/** What a preparation has to leave to others, or to later. */
const whatIsLeft = ({ rootCalls, releaseFrom, revoked }: PreparedNetwork, root: string): string[] => {
  const lines: string[] = [];
  if (rootCalls.length > 0) {
    const calls = callsText(rootCalls);
    lines.push(`root ${root} still has to make these calls, in this order; run this again then${calls}`);
  }
  if (revoked.length > 0) {
    lines.push(`revoked for good: ${revoked.join(', ')}; no wallet is deployed before a release with other facets`);
  }
  if (releaseFrom !== null) {
    const from = new Date(releaseFrom * 1000).toISOString();
    lines.push(`the facets may be used from ${from}; run this again then, to set the release`);
  }
  return lines;
};

import { parseArgs } from 'node:util';
import { setRole } from '../chain/deploy/set-role.ts';
import { isAddress } from '../chain/pure/address.ts';
import { isRole, roleIds } from '../chain/pure/roles.ts';
import { createRpc } from '../chain/rpc/rpc.ts';
import { openKeystore } from '../chain/signing/keystore.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { callsText } from './network.ts';

const roleCommand = (enabled: boolean) =>
  defineCommand({
    config: ['databaseUrl', 'keystorePassphrase'],
    run: async ({ args, config, print }) => {
      const { values, positionals } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { keystore: { type: 'string' } },
      });
      const [name, role, account, ...rest] = positionals;
      if (values.keystore === undefined || account === undefined || rest.length > 0) {
        throw new UsageError('a network, a role, an address and --keystore are needed');
      }
      if (!isRole(role)) throw new UsageError(`the roles are ${Object.keys(roleIds).join(', ')}`);
      if (!isAddress(account)) throw new UsageError(`${account} is no address`);
      if (enabled && BigInt(account) === 0n) throw new UsageError('nobody has the key of the zero address');
      const keystore = await openKeystore(values.keystore, config.keystorePassphrase);
      await withDatabase(config, async (knex) => {
        const network = (await watchedNetworks(knex)).find((candidate) => candidate.name === name);
        if (network === undefined) throw new Error(`the catalogue has no network ${name ?? ''}`);
        const rpc = createRpc({ urls: network.rpcUrls, eip155: network.eip155 });
        const change = { network, rpc, keystore, role, account: account.toLowerCase(), enabled };
        const { transaction, left } = await setRole(change);
        if (left !== null) print(`root of ${name} has to make this call${callsText([left])}`);
        else if (transaction !== null) print(`${account} ${enabled ? 'is' : 'is no longer'} ${role} of ${name}`);
        else print(`${account} ${enabled ? 'was' : 'was not'} ${role} of ${name}; nothing was sent`);
      });
    },
  });

/** Gives a key a role in the registry of a network, before the catalogue names it. */
export const roleGive = roleCommand(true);

/** Takes a role from a key in the registry of a network; a guardian's key can do it too. */
export const roleTake = roleCommand(false);

import { parseArgs } from 'node:util';
import { makeChange, type RegistryAt, type WantedChange } from '../chain/deploy/registry.ts';
import { isAddress } from '../chain/pure/address.ts';
import { openKeystore } from '../chain/signing/keystore.ts';
import { defineCommand, UsageError } from './command/command.ts';
import { onNetwork } from './command/networks.ts';
import { callsText } from './network.ts';

/**
 * Makes a command that changes the registry of a network. It sends the call with a keystore that may, or prints it.
 * @param read parses the words after the network; throws UsageError before any request
 */
export const changeCommand = (read: (words: readonly string[]) => (at: RegistryAt) => Promise<WantedChange>) =>
  defineCommand({
    config: ['databaseUrl'],
    run: async ({ args, config, need, print }) => {
      const { values, positionals } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { keystore: { type: 'string' } },
      });
      const [name, ...words] = positionals;
      if (name === undefined) throw new UsageError('a network is needed');
      const want = read(words);
      const file = values.keystore;
      const keystore =
        file === undefined ? null : await openKeystore(file, need('keystorePassphrase').keystorePassphrase);
      await onNetwork(config, name, async (at) => {
        const change = await want(at);
        if ('nothing' in change) return print(`${change.nothing}; nothing was sent`);
        const made = await makeChange(at, change, keystore);
        print(
          made.transaction === null
            ? `${made.left} has to make this call on ${name}${callsText([change.call])}`
            : `${name}: ${change.call.what}; ${made.sender} sent it in ${made.transaction}`,
        );
        if (change.note !== undefined) print(change.note);
        if (made.transaction === null && file !== undefined) {
          throw new Error(`nothing was sent: ${file} has no key that may make this call`);
        }
      });
    },
  });

/** Reads no words: for a command that takes the network only. */
export const alone =
  (want: (at: RegistryAt) => Promise<WantedChange>) =>
  (words: readonly string[]): typeof want => {
    if (words.length > 0) throw new UsageError(`unknown argument ${words[0]}: the command takes a network only`);
    return want;
  };

/**
 * Reads exactly one address.
 * @throws UsageError
 */
export const oneAddress = ([address, ...rest]: readonly string[]): string => {
  if (address === undefined || rest.length > 0) throw new UsageError('a network and an address are needed');
  if (!isAddress(address)) throw new UsageError(`${address} is not an address`);
  return address.toLowerCase();
};

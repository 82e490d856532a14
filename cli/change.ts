import { parseArgs } from 'node:util';
import { makeChange, type RegistryAt, type WantedChange } from '../chain/deploy/registry.ts';
import { isAddress } from '../chain/pure/address.ts';
import { openKeystore } from '../chain/signing/keystore.ts';
import { defineCommand, UsageError } from './command.ts';
import { callsText, onNetwork } from './network.ts';

/**
 * A command that changes the registry of a network: it prints the call, or sends it with a keystore that may.
 * @param read the words behind the network; throws UsageError before anything is asked
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

/** For a command that needs nothing but the network. */
export const alone =
  (want: (at: RegistryAt) => Promise<WantedChange>) =>
  (words: readonly string[]): typeof want => {
    if (words.length > 0) throw new UsageError(`${words[0]} is not understood: a network is needed, and nothing else`);
    return want;
  };

/**
 * The one address among the words.
 * @throws UsageError
 */
export const oneAddress = ([address, ...rest]: readonly string[]): string => {
  if (address === undefined || rest.length > 0) throw new UsageError('a network and an address are needed');
  if (!isAddress(address)) throw new UsageError(`${address} is no address`);
  return address.toLowerCase();
};

/** @throws UsageError for the zero address */
export const refuseNobody = (account: string): void => {
  if (BigInt(account) === 0n) throw new UsageError('nobody has the key of the zero address');
};

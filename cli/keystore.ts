import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { sendRest } from '../chain/deploy/send-calls.ts';
import { isAddress } from '../chain/pure/address.ts';
import { createKeystore, readPrivateKeys, openKeystore } from '../chain/signing/keystore.ts';
import { createKeySigner } from '../chain/signing/signer.ts';
import { nativeSymbol } from '../db/catalogue/reads.ts';
import { isKeyAtWork } from '../db/lane/accounts.ts';
import { defineCommand, UsageError, refuseNobody, readWords } from './command/command.ts';
import { onNetwork } from './command/networks.ts';
import { coinsText } from './command/text.ts';

const MAX_KEYS = 1_000;

/** Creates an encrypted keystore file of new keys or piped keys, and of keys from another file. */
export const keystoreCreate = defineCommand({
  config: ['keystorePassphrase'],
  run: async ({ args, config, print, report }) => {
    const { values, positionals } = readWords(args, {
      keys: { type: 'string', default: '1' },
      import: { type: 'boolean', default: false },
      from: { type: 'string' },
      without: { type: 'string', multiple: true, default: [] },
      'new-passphrase': { type: 'string' },
    });
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('one file is needed');
    const kept = await keysToKeep(values.from, values.without, config.keystorePassphrase);
    const added = values.import ? await pipedKeys() : newKeys(values.keys, values.from === undefined ? 1 : 0);
    const keys = [...kept, ...added];
    if (keys.length === 0) throw new UsageError('a keystore needs at least one key');
    const passphrase = await passphraseIn(values['new-passphrase'], config.keystorePassphrase);
    const addresses = await createKeystore(file, passphrase, keys);
    const origin = values.import ? 'imported' : 'new';
    for (const [index, address] of addresses.entries()) {
      print(`${address} ${index < kept.length ? `from ${values.from}` : origin}`);
    }
    report(
      'The catalogue assigns each key: name an address as operator, upgrader, signer or guardian of a network there.',
    );
  },
});

/** The passphrase in a file, without the end of its line; the given one without a file. */
const passphraseIn = async (file: string | undefined, given: string): Promise<string> => {
  if (file === undefined) return given;
  const passphrase = (await readFile(file, 'utf8')).trim();
  if (passphrase === given) throw new Error(`${file} has the passphrase of CARAT_KEYSTORE_PASSPHRASE`);
  return passphrase;
};

/** The keys of another file, except those of some addresses. */
const keysToKeep = async (
  from: string | undefined,
  without: readonly string[],
  passphrase: string,
): Promise<readonly string[]> => {
  if (from === undefined) {
    if (without.length > 0) throw new UsageError('--without needs --from');
    return [];
  }
  const left = new Set(without.map((address) => address.toLowerCase()));
  const kept = (await readPrivateKeys(from, passphrase)).filter((key) => !left.delete(createKeySigner(key).address));
  if (left.size > 0) throw new Error(`${from} has no key of ${[...left].join(', ')}`);
  return kept;
};

const pipedKeys = async (): Promise<string[]> => {
  const lines = (await text(process.stdin)).split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '');
  if (keys.length === 0) throw new UsageError('standard input has no key');
  return keys;
};

const newKeys = (wanted: string, least: number): string[] => {
  const count = Number(wanted);
  if (!Number.isInteger(count) || count < least || count > MAX_KEYS) {
    throw new UsageError(`--keys must be a number from ${least} to ${MAX_KEYS}`);
  }
  return Array.from({ length: count }, () => `0x${randomBytes(32).toString('hex')}`);
};

/** Sends the coins of a keystore's keys on a network to one address, except those of keys that Carat still uses there. */
export const keystoreEmpty = defineCommand({
  config: ['databaseUrl', 'keystorePassphrase'],
  run: async ({ args, config, print }) => {
    const [file, name, to, ...rest] = args;
    if (file === undefined || name === undefined || to === undefined || !isAddress(to) || rest.length > 0) {
      throw new UsageError('a keystore, a network and the address of the receiver are needed');
    }
    refuseNobody(to);
    const keystore = await openKeystore(file, config.keystorePassphrase);
    let isAnyAtWork = false;
    await onNetwork(config, name, async ({ knex, network, rpc }) => {
      const symbol = await nativeSymbol(knex, network.id);
      for (const address of keystore.addresses) {
        if (address === to.toLowerCase()) continue;
        // Its lane would take the transfer for a stranger's use of the key.
        if (await isKeyAtWork(knex, network.id, address)) {
          isAnyAtWork = true;
          print(`${address} keeps its coins: it is at work on ${name}`);
          continue;
        }
        const sent = await sendRest(rpc, keystore.signer(address), network, to.toLowerCase());
        const { value, left, transaction } = sent;
        if (transaction !== null) print(`${address} sent ${coinsText(value, symbol)} on ${name} in ${transaction}`);
        else if (left === 0n) print(`${address} has no coins on ${name}`);
        else print(`${address} keeps ${coinsText(left, symbol)} on ${name}: a transfer may cost as much`);
      }
    });
    return isAnyAtWork ? 'bad' : undefined;
  },
});

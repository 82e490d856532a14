import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createKeystore } from '../chain/signing/keystore.ts';
import { defineCommand, UsageError } from './command.ts';

const MAX_KEYS = 1_000;

/** Makes an encrypted keystore file, of new keys or of keys that are piped in. */
export const keystoreCreate = defineCommand({
  config: ['keystorePassphrase'],
  run: async ({ args, config, print }) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { keys: { type: 'string', default: '1' }, import: { type: 'boolean', default: false } },
    });
    const [file, ...rest] = positionals;
    const count = Number(values.keys);
    if (file === undefined || rest.length > 0) throw new UsageError('one file is needed');
    if (!Number.isInteger(count) || count < 1 || count > MAX_KEYS) {
      throw new UsageError(`--keys must be a number from 1 to ${MAX_KEYS}`);
    }
    const keys = values.import
      ? (await text(process.stdin))
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
      : Array.from({ length: count }, () => `0x${randomBytes(32).toString('hex')}`);
    if (keys.length === 0) throw new UsageError('no key came from standard input');
    for (const address of await createKeystore(file, config.keystorePassphrase, keys)) print(address);
  },
});

import { randomUUID } from 'node:crypto';
import { copyFile, chmod, readFile } from 'node:fs/promises';
import { assertMigrated } from '../../db/migrate.ts';
import { dump } from '../../db/backup/dump.ts';
import { defineCommand, UsageError, known, readWords } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { countText } from '../command/text.ts';
import { fingerprintOf, writeBackup, type Manifest } from './files.ts';

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const readVersion = async (): Promise<string> =>
  (JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

/** Copies an operator's file into the backup, for the owner alone. */
const keep = async (source: string, target: string): Promise<void> => {
  await copyFile(source, target);
  await chmod(target, 0o600);
};

/** Parts that belong to the backup and are not in it. Names keys and files, never a secret. */
const belongings = (manifest: Manifest, keystore: string | null): string[] => {
  const addresses = [...new Set(manifest.networks.flatMap(({ keys }) => keys.map(({ address }) => address)))];
  const isKept = manifest.copies.keystore !== undefined;
  return [
    isKept
      ? `keystore: ${manifest.copies.keystore} in the backup`
      : `keystore: ${keystore ?? 'the file that CARAT_KEYSTORE names'}`,
    ...addresses.map((address) => `  with the key of ${address}`),
    'passphrase of the keystore: CARAT_KEYSTORE_PASSPHRASE',
    `master key: CARAT_MASTER_KEY${manifest.master_key === null ? '' : `, whose fingerprint is ${manifest.master_key}`}`,
    ...(manifest.copies.catalogue === undefined ? ['catalogue: the file of carat catalogue apply'] : []),
  ];
};

/** Writes everything in the database, as one moment has it, into a new folder. Carat may run meanwhile. */
export const backup = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, need, print, report }) => {
    const { values, positionals } = readWords(args, {
      catalogue: { type: 'string' },
      'with-keystore': { type: 'boolean', default: false },
    });
    const [dir, ...rest] = positionals;
    if (dir === undefined || rest.length > 0) throw new UsageError('one new folder is needed');
    const masterKey = known(need, 'masterKey');
    const keystore = values['with-keystore'] ? need('keystore').keystore : known(need, 'keystore');
    // Fails before the long part.
    if (values['with-keystore']) await readFile(keystore!);
    if (values.catalogue !== undefined) await readFile(values.catalogue);
    const manifest = await withDatabase(config, async (knex) => {
      await assertMigrated(knex);
      return writeBackup(
        dir,
        async (pathOf) => {
          const dumped = await dump(knex, pathOf, ({ name, rows, bytes }, index, count) =>
            report(`${index} of ${count} tables: ${name}, ${rows} rows, ${megabytes(bytes)}`),
          );
          if (values.catalogue !== undefined) await keep(values.catalogue, pathOf('catalogue.yaml'));
          if (values['with-keystore']) await keep(keystore!, pathOf('keystore.json'));
          return {
            format: 1,
            id: randomUUID(),
            carat: await readVersion(),
            master_key: masterKey === null ? null : fingerprintOf(masterKey),
            copies: {
              ...(values.catalogue === undefined ? {} : { catalogue: 'catalogue.yaml' }),
              ...(values['with-keystore'] ? { keystore: 'keystore.json' } : {}),
            },
            ...dumped,
          };
        },
        report,
      );
    });
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    const bytes = manifest.tables.reduce((sum, table) => sum + table.bytes, 0);
    print(`${dir} is the state of ${manifest.at}: ${countText(rows, 'row')}, ${megabytes(bytes)}`);
    print('Keep these with it, in another place:');
    for (const line of belongings(manifest, keystore)) print(`  ${line}`);
  },
});

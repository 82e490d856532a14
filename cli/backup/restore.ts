import path from 'node:path';
import { assertLoadable, load } from '../../db/backup/load.ts';
import { grantRole } from '../../db/roles.ts';
import { newestMark, type Mark } from '../../db/backup/mark.ts';
import { known } from './known.ts';
import { defineCommand, UsageError } from '../command/command.ts';
import { withDatabase, type Database } from '../command/database.ts';
import { readServer } from '../../db/operator/server.ts';
import { countTransactions } from './count.ts';
import { fingerprintOf, readBackup, type Manifest } from './files.ts';

/** Refuses a master key that is not the backup's, and a server that is older than the backup's. */
const assertFits = async (knex: Database, manifest: Manifest, masterKey: Uint8Array | null): Promise<void> => {
  assertLoadable(manifest);
  if (masterKey !== null && manifest.master_key !== null && fingerprintOf(masterKey) !== manifest.master_key) {
    throw new Error(
      `CARAT_MASTER_KEY is not the master key of the backup, whose fingerprint is ${manifest.master_key}`,
    );
  }
  const major = Math.floor((await readServer(knex)).version / 10_000);
  if (major < Number.parseInt(manifest.postgres)) {
    throw new Error(`the backup is of PostgreSQL ${manifest.postgres}, and this server is the older version ${major}`);
  }
};

/** The mark of this backup in a database where a killed command has loaded it. */
const begunMark = async (knex: Database, { id }: Manifest): Promise<Mark | undefined> => {
  const mark = await newestMark(knex);
  return mark?.backup_id === id && mark.counted_at === null ? mark : undefined;
};

/** Loads a backup into an empty database, as its owner, and marks the database as restored. */
export const restore = defineCommand({
  config: ['databaseUrl', 'databaseOwnerUrl'],
  run: async ({ args, config, need, print, report }) => {
    const [dir, ...rest] = args;
    if (dir === undefined || rest.length > 0) throw new UsageError('the folder of one backup is needed');
    const manifest = await readBackup(dir, report);
    const { databaseUrl, databaseOwnerUrl } = config;
    await withDatabase({ databaseUrl: databaseOwnerUrl || databaseUrl }, async (knex) => {
      await assertFits(knex, manifest, known(need, 'masterKey'));
      const mark =
        (await begunMark(knex, manifest)) ??
        (await load(
          knex,
          manifest,
          (file) => path.join(dir, file),
          ({ name, rows }, index, count) => report(`loaded ${index} of ${count} tables: ${name}, ${rows} rows`),
        ));
      if (databaseOwnerUrl !== '') await grantRole(databaseOwnerUrl, databaseUrl);
      print(`The database has the state of ${manifest.at}, and is marked as restored`);
      await countTransactions({ knex, print, report }, mark);
    });
  },
});

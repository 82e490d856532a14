import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { dump, tablesOf } from '../../../db/backup/dump.ts';
import { load } from '../../../db/backup/load.ts';
import { connect } from '../../../db/connection.ts';
import { recordLife } from '../../../db/processes/processes.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex } from '../../support/fixtures.ts';

/* What a loaded backup contains. The commands are tested in cli/backup.test.ts. */

const source = connect((await createTestDatabase()).url, { pool: 2 });
const target = connect((await createTestDatabase({ isEmpty: true })).url, { pool: 2 });
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-load-'));
afterAll(async () => {
  await Promise.all([source.destroy(), target.destroy()]);
  fs.rmSync(dir, { recursive: true, force: true });
});

/** All rows as text, the sequences, and the constraints and triggers of the schema. */
const contentOf = async (knex: Knex): Promise<unknown> => {
  const ofBackup = ['restores', 'watch_cursors'];
  const rows: [string, unknown[]][] = [];
  for (const { name } of await tablesOf(knex)) {
    if (ofBackup.includes(name)) continue;
    rows.push([name, (await knex.raw('SELECT ??::text AS line FROM ?? ORDER BY 1', [name, name])).rows]);
  }
  const schema = await knex.raw(
    `SELECT conrelid::regclass::text AS t, conname::text AS n, pg_get_constraintdef(oid) AS d FROM pg_constraint
       WHERE connamespace = current_schema()::regnamespace
     UNION ALL SELECT tgrelid::regclass::text, tgname::text, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL SELECT sequencename::text, 'last', last_value::text FROM pg_sequences WHERE sequencename NOT LIKE 'knex%' ORDER BY 1, 2, 3`,
  );
  return { rows, schema: schema.rows };
};

it('a loaded backup has every row and constraint, and is marked with its moment; its processes run no more', async () => {
  const world = await createWorld(source);
  for (let index = 0; index < 3; index += 1) await createPaymentRow(source, world);
  const cursor = { network_id: world.networkId, number: 40, hash: hex(32) };
  await source('watch_cursors').insert(cursor).onConflict('network_id').merge();
  const worker = { id: randomUUID(), kind: 'worker', name: 'worker' } as const;
  await recordLife(source, worker, true);
  const backup = {
    id: randomUUID(),
    ...(await dump(
      source,
      (file) => path.join(dir, file),
      () => {},
    )),
  };
  // What comes later is in no backup.
  const before = await contentOf(source);
  await createPaymentRow(source, world);

  const mark = await load(
    target,
    backup,
    (file) => path.join(dir, file),
    () => {},
  );
  expect(mark).toMatchObject({ backup_id: backup.id, state_of: new Date(backup.at), counted_at: null });
  expect(await target('restores')).toEqual([mark]);
  expect(await target('watch_cursors')).toMatchObject([{ number: '40', is_behind_restore: true }]);
  const stopped = target('processes').where({ id: worker.id }).whereNotNull('stopped_at');
  expect(await stopped.update({ stopped_at: null })).toBe(1);
  expect(await contentOf(target)).toEqual(before);
});

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createWorld } from '../../../test/support/fixtures.ts';
import { fillPayments } from '../payment-rows.ts';
import { startBenchDatabase } from './server.ts';

/*
 * npm run bench:migrations [-- ROWS]
 *
 * The time for which PostgreSQL locks a table while migrations work on all of its rows. Method and figures: tools/bench/README.md.
 */

const rows = Number(process.argv[2] ?? 300_000);
/** Runs of each kind, one after the other. */
const TIMES = 3;

const { knex, stop } = await startBenchDatabase(2);
const [{ data_directory: dataDir }] = (await knex.raw<{ rows: [{ data_directory: string }] }>('SHOW data_directory'))
  .rows;

interface Work {
  readonly kind: 'read' | 'index' | 'rewrite';
  readonly name: string;
  readonly sql: string;
  /** Brings the schema back, without being timed. */
  readonly undo: string;
}

const added = (kind: Work['kind'], name: string, table: string, what: string): Work => ({
  kind,
  name,
  sql: `ALTER TABLE ${table} ADD CONSTRAINT bench ${what}`,
  undo: `ALTER TABLE ${table} DROP CONSTRAINT bench`,
});
const indexed = (name: string, table: string, columns: string): Work => ({
  kind: 'index',
  name,
  sql: `CREATE INDEX bench ON ${table} (${columns})`,
  undo: 'DROP INDEX bench',
});

const works: Readonly<Record<string, readonly Work[]>> = {
  payments: [
    added('read', 'a check', 'payments', 'CHECK (price_units >= 0)'),
    indexed('an index over an id', 'payments', 'wallet_id'),
    indexed('an index as of a list', 'payments', 'node_id, status, created_at, id'),
    indexed('an index over hashes', 'payments', 'terms_hash'),
    {
      kind: 'rewrite',
      name: 'a column with another type',
      sql: 'ALTER TABLE payments ALTER COLUMN decimals TYPE integer',
      undo: 'ALTER TABLE payments ALTER COLUMN decimals TYPE smallint',
    },
  ],
  audit_log: [
    added('read', 'a check', 'audit_log', `CHECK (action <> '')`),
    indexed('an index as of a list', 'audit_log', 'actor_id, created_at, id'),
    {
      kind: 'rewrite',
      name: 'a column with another value in each row',
      sql: 'ALTER TABLE audit_log ADD COLUMN bench uuid NOT NULL DEFAULT gen_random_uuid()',
      undo: 'ALTER TABLE audit_log DROP COLUMN bench; VACUUM FULL audit_log',
    },
  ],
};

const fillAudit = `
INSERT INTO audit_log (id, node_id, actor_id, actor_node_id, action, resource_id, before, after, address, request_id, created_at)
SELECT uuidv7(at - clock_timestamp()), :node, :node, :node, 'wallet.updated', gen_random_uuid(), body, body || '{"name": "after"}',
  '203.0.113.7', gen_random_uuid()::text, at
FROM (SELECT now() - interval '300 days' * (1 - g::float8 / :rows) AS at, jsonb_build_object('id', gen_random_uuid(),
    'node_id', gen_random_uuid(), 'chain_id', gen_random_uuid(), 'name', 'before ' || g, 'status', 'active') AS body
  FROM generate_series(1, :rows::int) g) made`;

const valueOf = async <Value>(sql: string, table: string): Promise<Value> =>
  (await knex.raw<{ rows: [{ value: Value }] }>(sql, { table })).rows[0].value;

/** Takes the files of a table and its indexes out of the page cache, so that the next reading is one of the disk. */
const makeCold = async (table: string): Promise<void> => {
  await knex.raw('CHECKPOINT');
  const files = await valueOf<string[]>(
    `SELECT array_agg(pg_relation_filepath(oid)) AS value FROM pg_class
     WHERE oid = :table::regclass OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = :table::regclass)`,
    table,
  );
  for (const file of files) {
    const own = path.join(dataDir, file);
    const folder = path.dirname(own);
    for (const name of fs.readdirSync(folder).filter((one) => one.split('.')[0] === path.basename(file)))
      await promisify(execFile)('dd', [`if=${path.join(folder, name)}`, 'iflag=nocache', 'count=0', 'status=none']);
  }
};

try {
  const world = await createWorld(knex);
  await fillPayments(knex, world, { nodes: [world.nodeId, world.nodeId], total: rows });
  await knex.raw(fillAudit, { node: world.nodeId, rows });
  await knex.raw('VACUUM ANALYZE audit_log');
  console.log('\n| table | work | kind | MB | s | MB a second |\n|---|---|---|---|---|---|');
  for (const [table, own] of Object.entries(works)) {
    for (const { kind, name, sql, undo } of own) {
      const times: number[] = [];
      const bytes = Number(await valueOf('SELECT pg_total_relation_size(:table::regclass) AS value', table));
      for (let time = 0; time < TIMES; time += 1) {
        await makeCold(table);
        const began = performance.now();
        await knex.raw(sql);
        times.push((performance.now() - began) / 1_000);
        // VACUUM FULL wants a statement of its own.
        for (const statement of undo.split('; ')) await knex.raw(statement);
      }
      const shown = times.map((seconds) => seconds.toFixed(1)).join(', ');
      const rates = times.map((seconds) => (bytes / 1e6 / seconds).toFixed(0)).join(', ');
      console.log(`| ${table} | ${name} | ${kind} | ${(bytes / 1e6).toFixed(0)} | ${shown} | ${rates} |`);
    }
  }
} finally {
  await stop();
}

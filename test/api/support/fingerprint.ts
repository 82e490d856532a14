import type { Knex } from 'knex';

/** Kept by every request, also a refused one. */
const ownLife = ['rate_limits'];

/** Number of rows and checksum of the content of every table. */
export const fingerprint = async (knex: Knex): Promise<Record<string, string>> => {
  const tables = await knex('information_schema.tables')
    .where({ table_schema: 'public', table_type: 'BASE TABLE' })
    .whereNotIn('table_name', ownLife)
    .orderBy('table_name')
    .pluck<string[]>('table_name');
  const sums = tables.map(
    (table) => `SELECT '${table}' AS name, count(*) || ' ' || coalesce(md5(string_agg(row, '' ORDER BY row)), '') AS sum
      FROM (SELECT md5(t::text) AS row FROM "${table}" t) rows`,
  );
  const { rows } = await knex.raw<{ rows: { name: string; sum: string }[] }>(sums.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
};

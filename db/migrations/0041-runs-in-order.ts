import type { Knex } from 'knex';

/** The runs of a diamond are counted in the order in which they were asked for: a clock may step back. */
export const runsInOrder = {
  name: '0041-runs-in-order',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE deployments ADD COLUMN number bigint;
UPDATE deployments d SET number = o.number
  FROM (SELECT id, row_number() OVER (ORDER BY created_at, id) AS number FROM deployments) o WHERE o.id = d.id;
ALTER TABLE deployments ALTER COLUMN number SET NOT NULL, ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(pg_get_serial_sequence('deployments', 'number'), coalesce(max(number), 0) + 1, false) FROM deployments;`),
};

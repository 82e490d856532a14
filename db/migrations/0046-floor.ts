import type { Knex } from 'knex';

/** The lowest level of code that understands what the database holds, and the level of each process that runs. */
export const floor = {
  name: '0046-floor',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE floor (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  level integer NOT NULL DEFAULT 1 CHECK (level >= 1)
);
INSERT INTO floor DEFAULT VALUES;
-- null: a version from before there were levels
ALTER TABLE processes ADD COLUMN level integer;`),
};

import type { Knex } from 'knex';

/** Signs of life: of each process, of each network's watcher, and the one that the operator's webhook is sent. */
export const processes = {
  name: '0030-processes',
  up: (knex: Knex) =>
    knex.raw(`
-- One row for each start of a process. All times are those of the database's clock.
CREATE TABLE processes (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('api', 'worker')),
  -- process id and host, as Temporal knows it
  name text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  beat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- when Temporal answered it last; null: never
  temporal_at timestamptz,
  -- when it was told to stop; null: it was not
  stopped_at timestamptz
) WITH (fillfactor = 50);

-- When the watcher of each network stood at the head of its chain last, and since when that is the same block.
CREATE TABLE network_looks (
  network_id uuid PRIMARY KEY REFERENCES networks (id),
  number bigint,
  looked_at timestamptz NOT NULL,
  risen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- One row: when the operator's webhook was told last that somebody is alive.
CREATE TABLE alive_turn (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  told_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO alive_turn DEFAULT VALUES;`),
};

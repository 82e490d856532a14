import type { Knex } from 'knex';

/** An entry of the audit log gets an id only of a minute that still runs. */
export const minutesThatRun = {
  name: '0067-minutes-that-run',
  effect: {
    kind: 'expand',
    locks: [],
    although: 'It gives ids as before; one of a minute that has just ended is made anew.',
  },
  up: (knex: Knex) =>
    knex.raw(`
-- Its transaction holds a lock of its minute, taken while the minute runs. A minute is linked once it has ended, and while nobody has a lock
-- of it; so nobody joins a linked minute, however old is the snapshot that \`closed\` is read from.
CREATE OR REPLACE FUNCTION audit_id() RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  made uuid := uuidv7();
  minute bigint;
  done bigint;
BEGIN
  LOOP
    minute := floor(extract(epoch FROM uuid_extract_timestamp(made)) / 60);
    PERFORM pg_advisory_xact_lock_shared(7227273, minute::int);
    SELECT closed INTO STRICT done FROM audit_chain;
    IF minute > done AND minute >= floor(extract(epoch FROM clock_timestamp()) / 60) THEN RETURN made; END IF;
    -- the minute has just ended, or the clock went back
    made := uuidv7(greatest(to_timestamp((done + 1) * 60) - clock_timestamp(), interval '0'));
  END LOOP;
END $$;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION audit_id() SET search_path = %I, pg_temp', current_schema()); END $$;`),
} as const;

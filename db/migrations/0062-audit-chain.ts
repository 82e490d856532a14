import type { Knex } from 'knex';

/** A chain of digests over the audit log. */
export const auditChain = {
  name: '0062-audit-chain',
  effect: { kind: 'expand', locks: ['audit_log'] },
  up: (knex: Knex) =>
    knex.raw(`
-- A minute is a number: whole minutes since 1970. An entry belongs to the minute of its id.
CREATE TABLE audit_links (
  number bigint PRIMARY KEY,
  minute bigint NOT NULL UNIQUE,
  -- how many entries the minute has, and the digest over all of them without personal data
  entries integer NOT NULL,
  entries_digest bytea NOT NULL,
  -- over the digest of the link before and all of the above
  digest bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE audit_chain (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- no new entry gets an id of this minute or one before
  closed bigint NOT NULL,
  -- the newest link
  last_number bigint NOT NULL DEFAULT 0,
  last_minute bigint NOT NULL DEFAULT 0,
  last_digest bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
  -- the newest link of those that were deleted because of their age; the chain begins behind it
  forgotten_number bigint NOT NULL DEFAULT 0,
  forgotten_minute bigint NOT NULL DEFAULT 0,
  forgotten_digest bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
  forgotten_at timestamptz
);

-- Waits for transactions that have written entries, so that what they wrote is complete.
LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE;
INSERT INTO audit_chain (closed) VALUES (floor(extract(epoch FROM clock_timestamp()) / 60) - 1);

-- An id of a minute that is not closed. Its transaction holds a lock of that minute, so that a link waits for its end. The lock comes
-- before the look, and a link looks for locks after it has closed the minute: one of both sees the other.
CREATE FUNCTION audit_id() RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  made uuid := uuidv7();
  minute bigint := floor(extract(epoch FROM uuid_extract_timestamp(made)) / 60);
  done bigint;
BEGIN
  LOOP
    PERFORM pg_advisory_xact_lock_shared(7227273, minute::int);
    SELECT closed INTO STRICT done FROM audit_chain;
    IF minute > done THEN RETURN made; END IF;
    -- the minute has just ended, or the clock went back
    minute := done + 1;
    made := uuidv7(to_timestamp(minute * 60) - clock_timestamp());
  END LOOP;
END $$;
ALTER TABLE audit_log ALTER COLUMN id SET DEFAULT audit_id();`),
} as const;

import type { Knex } from 'knex';

/** What the role of the processes notes about the end of the audit log's chain is true. */
export const endOfTheChain = {
  name: '0065-end-of-the-chain',
  effect: {
    kind: 'expand',
    locks: ['audit_chain'],
    although: 'The trigger stores what older code stores, and audit_id() finds the tables that it found.',
  },
  up: (knex: Knex) =>
    knex.raw(`
-- Whoever does not own the table closes minutes that have ended, and notes the newest link, whatever the update says.
CREATE FUNCTION audit_end() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  newest record;
BEGIN
  IF pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'USAGE') THEN RETURN NEW; END IF;
  NEW.closed := greatest(OLD.closed, least(NEW.closed, floor(extract(epoch FROM clock_timestamp()) / 60)::bigint - 1));
  NEW.last_number := OLD.last_number;
  NEW.last_minute := OLD.last_minute;
  NEW.last_digest := OLD.last_digest;
  SELECT l.number, l.minute, l.digest INTO newest FROM audit_links l ORDER BY l.number DESC LIMIT 1;
  -- a link that was removed stays noted
  IF newest.number >= OLD.last_number THEN
    NEW.last_number := newest.number;
    NEW.last_minute := newest.minute;
    NEW.last_digest := newest.digest;
  END IF;
  RETURN NEW;
END $$;
-- They find no temporary table of these names.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION audit_end() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION audit_id() SET search_path = %I, pg_temp', current_schema());
END $$;
CREATE TRIGGER audit_end BEFORE UPDATE ON audit_chain FOR EACH ROW EXECUTE FUNCTION audit_end();`),
} as const;

import type { Knex } from 'knex';

/** The database computes each link of the audit log's chain. */
export const computedLinks = {
  name: '0064-computed-links',
  effect: {
    kind: 'expand',
    locks: ['audit_links'],
    although: 'The trigger stores what older code stores, and refuses what that code does not do.',
  },
  up: (knex: Knex) =>
    knex.raw(`
-- Whoever may insert a link chooses the moment, and nothing else. Whoever names its minute is told when that is not the next one.
CREATE FUNCTION audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  chain audit_chain;
  former record;
  finished bigint;
  following bigint;
BEGIN
  SELECT * INTO STRICT chain FROM audit_chain FOR UPDATE;
  SELECT l.number, l.minute, l.digest INTO former FROM audit_links l ORDER BY l.number DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT chain.forgotten_number AS number, chain.forgotten_minute AS minute, chain.forgotten_digest AS digest INTO former;
  END IF;
  -- the last minute whose transactions have all ended: see audit_id()
  SELECT least(chain.closed, min(l.objid::bigint) - 1) INTO finished FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.classid = 7227273 AND l.objsubid = 2
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
  SELECT ('x' || left(replace(e.id::text, '-', ''), 12))::bit(48)::bigint / 60000 INTO following FROM audit_log e
    WHERE e.id >= (lpad(to_hex((former.minute + 1) * 60000), 12, '0') || repeat('0', 20))::uuid
      AND e.id < (lpad(to_hex((finished + 1) * 60000), 12, '0') || repeat('0', 20))::uuid
    ORDER BY e.id LIMIT 1;
  IF following IS NULL OR following <> NEW.minute THEN
    IF NEW.minute IS NULL THEN RETURN NULL; END IF;
    RAISE EXCEPTION 'the minute % is not the next finished one', NEW.minute;
  END IF;
  NEW.number := former.number + 1;
  NEW.minute := following;
  -- as db/audit/chain.ts has it
  SELECT count(*)::int, sha256(string_agg(sha256(convert_to(jsonb_build_array(e.id, e.node_id, e.actor_id, e.actor_node_id,
      e.action, e.resource_id,
      CASE WHEN e.action LIKE 'member.%' THEN jsonb_build_array(e.before -> 'id', e.before -> 'node_id',
        e.before -> 'created_at', e.before -> 'updated_at') ELSE e.before END,
      CASE WHEN e.action LIKE 'member.%' THEN jsonb_build_array(e.after -> 'id', e.after -> 'node_id',
        e.after -> 'created_at', e.after -> 'updated_at') ELSE e.after END,
      e.request_id, (extract(epoch FROM e.created_at) * 1000000)::bigint)::text, 'UTF8')), ''::bytea ORDER BY e.id))
    INTO NEW.entries, NEW.entries_digest FROM audit_log e
    WHERE e.id >= (lpad(to_hex(following * 60000), 12, '0') || repeat('0', 20))::uuid
      AND e.id < (lpad(to_hex((following + 1) * 60000), 12, '0') || repeat('0', 20))::uuid;
  NEW.digest := sha256(former.digest || int8send(NEW.number) || int8send(NEW.minute) || int8send(NEW.entries) || NEW.entries_digest);
  NEW.created_at := clock_timestamp();
  RETURN NEW;
END $$;
-- It finds no temporary table of these names.
DO $$ BEGIN EXECUTE format('ALTER FUNCTION audit_link() SET search_path = %I, pg_temp', current_schema()); END $$;
CREATE TRIGGER audit_link BEFORE INSERT ON audit_links FOR EACH ROW EXECUTE FUNCTION audit_link();`),
} as const;

/** The audit log and its chain of digests, and the tables of the processes themselves. */
export const service = `
-- Changes over the API with their authors. It refers to nothing, so that it neither costs checks nor stands in anybody's way.
CREATE TABLE audit_log (
  -- its default follows audit_id()
  id uuid PRIMARY KEY,
  -- node of the changed resource
  node_id uuid NOT NULL,
  -- an integration's id, or subject and issuer of an outside token; null for the operator's command
  actor_id text,
  actor_node_id uuid,
  action text NOT NULL,
  resource_id uuid NOT NULL,
  -- as the API answers the resource, without secrets
  before jsonb,
  after jsonb,
  address text,
  request_id text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX audit_log_list ON audit_log (node_id, created_at DESC, id DESC);
CREATE INDEX audit_log_resource ON audit_log (resource_id);

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
INSERT INTO audit_chain (closed) VALUES (floor(extract(epoch FROM clock_timestamp()) / 60) - 1);

-- An id of a minute that still runs. Its transaction holds a lock of its minute, taken while the minute runs. A minute is linked once it
-- has ended, and while nobody has a lock of it; so nobody joins a linked minute, however old is the snapshot that \`closed\` is read from.
CREATE FUNCTION audit_id() RETURNS uuid LANGUAGE plpgsql AS $$
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
ALTER TABLE audit_log ALTER COLUMN id SET DEFAULT audit_id();

-- The database computes each link. Whoever may insert one chooses the moment, and nothing else. Whoever names its minute is refused when
-- that is not the next one.
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
CREATE TRIGGER audit_link BEFORE INSERT ON audit_links FOR EACH ROW EXECUTE FUNCTION audit_link();

-- An older snapshot lacks entries of transactions that have ended since, so a link would lack them for ever.
CREATE FUNCTION audit_present() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'links of the audit log are made in transactions that are read committed, and this one is %',
      current_setting('transaction_isolation');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_present BEFORE INSERT ON audit_links FOR EACH STATEMENT EXECUTE FUNCTION audit_present();

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
CREATE TRIGGER audit_end BEFORE UPDATE ON audit_chain FOR EACH ROW EXECUTE FUNCTION audit_end();

-- They find no temporary table of these names.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['audit_id', 'audit_link', 'audit_present', 'audit_end'] LOOP
    EXECUTE format('ALTER FUNCTION %I() SET search_path = %I, pg_temp', name, current_schema());
  END LOOP;
END $$;

CREATE TABLE idempotency_keys (
  actor_id text NOT NULL,
  -- method and path
  target text NOT NULL,
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  status smallint NOT NULL CHECK (status BETWEEN 200 AND 299),
  -- the answer's bytes, encrypted with the master key because they may contain secrets
  encrypted_answer bytea CONSTRAINT idempotency_keys_sealed_answer_not_null NOT NULL,
  -- kept at least until this payment has ended
  payment_id uuid,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT idempotency_keys_once PRIMARY KEY (actor_id, target, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Token buckets, each as the time at which it will be full again. Lost in a crash, which only fills the buckets.
CREATE UNLOGGED TABLE rate_limits (
  key text PRIMARY KEY,
  full_at timestamptz NOT NULL
) WITH (fillfactor = 50);

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
  stopped_at timestamptz,
  -- null: a version from before there were levels
  level integer
) WITH (fillfactor = 50);

-- The lowest level of code that understands the states of the database, and the level below which it never sinks again, because a
-- contract step has removed what older versions need.
CREATE TABLE floor (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  level integer NOT NULL DEFAULT 1 CHECK (level >= 1),
  lowest integer NOT NULL DEFAULT 1
);
INSERT INTO floor DEFAULT VALUES;

-- A pass over one table that deletes old rows, in the order of ids; locked by the process that does a part of it.
CREATE TABLE retention (
  kind text PRIMARY KEY,
  -- the last id of the parts done
  after uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
INSERT INTO retention (kind) VALUES ('alerts'), ('client_ips'), ('offers'), ('payment_waits'), ('transaction_logs');
`;

import type { Knex } from 'knex';

/** The subject of an alert and its cause, which were parts of its key alone. */
export const alertSubjects = {
  name: '0068-alert-subjects',
  effect: {
    kind: 'expand',
    locks: ['alerts'],
    although: 'A trigger fills the columns where an earlier version writes an alert.',
  },
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE alerts
  -- of a condition the id or name of its subject (domain/alerts/condition.ts), of an incident what tells it from others of its kind
  ADD COLUMN subject_id text,
  -- tells several conditions of one subject apart
  ADD COLUMN cause text NOT NULL DEFAULT '';

CREATE FUNCTION alert_subject() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.subject_id := split_part(NEW.dedupe_key, ':', 2);
  NEW.cause := substr(NEW.dedupe_key, length(NEW.kind) + length(NEW.subject_id) + 3);
  RETURN NEW;
END $$;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION alert_subject() SET search_path = %I, pg_temp', current_schema()); END $$;
-- For the version before, until a later step.
CREATE TRIGGER alert_subject BEFORE INSERT OR UPDATE OF dedupe_key ON alerts FOR EACH ROW
  WHEN (NEW.is_condition AND NEW.subject_id IS NULL) EXECUTE FUNCTION alert_subject();
UPDATE alerts SET dedupe_key = dedupe_key WHERE is_condition AND closed_at IS NULL;`),
} as const;

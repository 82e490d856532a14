import type { Knex } from 'knex';

/** No link of the audit log's chain is made from an older snapshot. */
export const inThePresent = {
  name: '0066-in-the-present',
  effect: {
    kind: 'expand',
    locks: ['audit_links'],
    although: 'The trigger refuses what no version does.',
  },
  up: (knex: Knex) =>
    knex.raw(`
-- An older snapshot lacks entries of transactions that have ended since, so a link would lack them for ever.
CREATE FUNCTION audit_present() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'links of the audit log are made in transactions that are read committed, and this one is %',
      current_setting('transaction_isolation');
  END IF;
  RETURN NULL;
END $$;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION audit_present() SET search_path = %I, pg_temp', current_schema()); END $$;
CREATE TRIGGER audit_present BEFORE INSERT ON audit_links FOR EACH STATEMENT EXECUTE FUNCTION audit_present();`),
} as const;

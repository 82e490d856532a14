import type { Knex } from 'knex';

/**
 * Tells open pages of changes that are no transitions: why a payment waits, and whether its deal is in a block. A transition
 * tells of itself, many payments at once.
 */
export const toldPages = {
  name: '0055-told-pages',
  up: (knex: Knex) =>
    knex.raw(`
CREATE FUNCTION tell_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('carat_pages', NEW.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER payments_tell_pages AFTER UPDATE ON payments FOR EACH ROW
  WHEN (OLD.sequence = NEW.sequence AND (OLD.status_detail IS DISTINCT FROM NEW.status_detail
    OR NEW.status = 'awaiting_payment' AND (OLD.deal_block_number IS NULL) <> (NEW.deal_block_number IS NULL)))
  EXECUTE FUNCTION tell_pages();`),
};

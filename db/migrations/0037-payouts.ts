import type { Knex } from 'knex';

/**
 * Where the money of a node goes on a chain, and whether that is locked. The database itself refuses a payment that a lock
 * forbids: whoever sets a lock first waits for the payments that are being stored, and later ones see it.
 */
export const payouts = {
  name: '0037-payouts',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE payouts (
  node_id uuid NOT NULL REFERENCES nodes (id),
  chain_id uuid NOT NULL REFERENCES chains (id),
  address text CHECK (address ~ '^0x[0-9a-f]{40}$'),
  locked boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (node_id, chain_id),
  CHECK (address IS NOT NULL OR NOT locked)
);

-- is an address a diamond on some network?
CREATE INDEX diamonds_address ON diamonds (address);

-- The foreign key of payments to nodes is checked first, and waits for a lock that is being set. A function that is volatile
-- reads what is committed by then.
CREATE FUNCTION payments_obey_payout_locks() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM payouts WHERE locked) AND EXISTS (
    SELECT 1 FROM added a JOIN nodes n ON n.id = a.node_id
    WHERE a.payment_method = 'web3' AND a.payment_address <> (
      -- of several locks the one nearest the root decides
      SELECT p.address FROM payouts p WHERE p.chain_id = a.chain_id AND p.node_id = ANY (n.path) AND p.locked
      ORDER BY array_position(n.path, p.node_id) LIMIT 1)
  ) THEN
    RAISE EXCEPTION 'a payout lock forbids the payee'
      USING ERRCODE = 'check_violation', TABLE = 'payments', CONSTRAINT = 'payments_payout_lock';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_payout_lock AFTER INSERT ON payments REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION payments_obey_payout_locks();`),
};

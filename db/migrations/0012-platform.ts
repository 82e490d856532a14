import type { Knex } from 'knex';

/**
 * What the addresses of contracts follow from belongs to the chain; who is root and guardian now, to the network; and a key
 * may be dismissed. Contracts of before are others at other addresses, so their wallets and payments can not be kept.
 */
export const platform = {
  name: '0012-platform',
  up: async (knex: Knex): Promise<void> => {
    const { rows } = await knex.raw<{ rows: unknown[] }>('SELECT 1 FROM chains LIMIT 1');
    if (rows.length > 0) {
      throw new Error(
        'this database is of a version of Carat whose contracts were others, at other addresses, and can not be brought ' +
          'to this one; start anew with an empty database (the local stack: npm run reset)',
      );
    }
    await knex.raw(`
ALTER TABLE chains
  ADD COLUMN first_root text NOT NULL CHECK (first_root ~ '^0x[0-9a-f]{40}$'),
  ADD COLUMN platform_id text NOT NULL CHECK (platform_id ~ '^0x[0-9a-f]{64}$'),
  -- seconds
  ADD COLUMN approval_delay integer NOT NULL CHECK (approval_delay BETWEEN 0 AND 2592000),
  ADD CONSTRAINT chains_platform UNIQUE (first_root, platform_id, approval_delay);
ALTER TABLE networks
  -- who must be root of the registry now
  ADD COLUMN root text NOT NULL CHECK (root ~ '^0x[0-9a-f]{40}$'),
  ADD COLUMN guardian text NOT NULL CHECK (guardian ~ '^0x[0-9a-f]{40}$');
-- set once the key is no longer in the catalogue: it finishes what is under way and gets nothing new
ALTER TABLE signer_accounts ADD COLUMN dismissed_at timestamptz`);
  },
};

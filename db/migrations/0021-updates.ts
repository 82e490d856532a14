import type { Knex } from 'knex';

/** A diamond is updated as often as there are releases, one run at a time; while it is cut, no deals are created on it. */
export const updates = {
  name: '0021-updates',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE deployment_steps DROP CONSTRAINT deployment_steps_key_check;
ALTER TABLE deployment_steps ADD CONSTRAINT deployment_steps_key_check
  CHECK (key IN ('preflight', 'deploy_facets', 'deploy_diamond', 'cut', 'verify', 'activate'));
-- a failed run is not finished: it is asked for again
CREATE UNIQUE INDEX deployments_unfinished ON deployments (wallet_id, network_id) WHERE status <> 'completed';
CREATE INDEX deployments_list ON deployments (wallet_id, created_at DESC, id DESC);

-- from the nonce of a cut to the end of its run: creates wait, all else goes on
ALTER TABLE diamonds ADD COLUMN updating boolean NOT NULL DEFAULT false;
CREATE INDEX diamonds_updating ON diamonds (network_id, address) WHERE updating;`),
};

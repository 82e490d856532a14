import type { Knex } from 'knex';

/** What a node has under way is counted before it may begin more. */
export const bounds = {
  name: '0032-bounds',
  up: (knex: Knex) =>
    knex.raw(`
CREATE INDEX deployments_under_way ON deployments (wallet_id) WHERE status = 'started';`),
};

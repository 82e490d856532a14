import type { Knex } from 'knex';

/** The tests of a configuration are found by themselves, so that older ones can go when there is one more. */
export const boundedTests = {
  name: '0038-bounded-tests',
  up: (knex: Knex) =>
    knex.raw('CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (webhook_id, id) WHERE is_test'),
};

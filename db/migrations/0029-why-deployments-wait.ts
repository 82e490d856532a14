import type { Knex } from 'knex';

/** A run of a diamond says why it waits, and so do the payments that wait for the diamond. */
export const whyDeploymentsWait = {
  name: '0029-why-deployments-wait',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE deployments ADD COLUMN status_detail text;`),
};

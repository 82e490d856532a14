import { retireTokenKey } from '../db/auth/token-keys.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

/** Ends a key now: every token that it has signed is refused. */
export const keysRetire = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const [kid, ...rest] = args;
    if (kid === undefined || rest.length > 0) throw new UsageError('one key id is needed; keys list shows them');
    await withDatabase(config, async (knex) => {
      const outcome = await retireTokenKey(knex, kid);
      if (outcome === 'unknown') throw new Error(`there is no key ${kid} that is not retired`);
      if (outcome === 'needed') {
        throw new Error(
          `${kid} is still needed: no other key of its purpose signs. Make one with keys rotate, and wait`,
        );
      }
      print(`${kid} is retired`);
    });
  },
});

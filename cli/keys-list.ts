import { listAllTokenKeys, type TokenKeyRow } from '../db/auth/token-keys.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

const stateOf = (key: TokenKeyRow, signing: boolean, now: number): string => {
  const retired = key.retired_at?.getTime() ?? Infinity;
  if (retired <= now) return 'retired';
  const until = key.retired_at === null ? '' : `, until ${key.retired_at.toISOString()}`;
  if (signing) return `signs${until}`;
  return key.signs_from.getTime() > now ? `signs from ${key.signs_from.toISOString()}` : `verifies${until}`;
};

/** Shows the keys that sign tokens, the newest first, and what each of them does now. Never a secret part. */
export const keysList = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    if (args.length > 0) throw new UsageError('keys list takes no argument');
    await withDatabase(config, async (knex) => {
      const now = Date.now();
      const keys = await listAllTokenKeys(knex);
      for (const purpose of ['access', 'widget'] as const) {
        const own = keys.filter((key) => key.purpose === purpose);
        const signing = own.find(
          (key) => (key.retired_at?.getTime() ?? Infinity) > now && key.signs_from.getTime() <= now,
        );
        for (const key of own) {
          print(`${purpose} ${key.kid} made ${key.created_at.toISOString()} ${stateOf(key, key === signing, now)}`);
        }
      }
    });
  },
});

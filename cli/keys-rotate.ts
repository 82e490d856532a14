import { parseArgs } from 'node:util';
import { ACCESS_TOKEN_SECONDS } from '../api/auth/access-tokens.ts';
import { createKeyRing, makeTokenKey } from '../api/auth/key-ring.ts';
import { rotateTokenKey } from '../db/auth/token-keys.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

/** Seconds that a key is known to every process, and published, before it signs. */
const SIGNS_IN_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 86_400;
/** Seconds for which an old key stays good after the last token that it can have signed has ended. */
const MARGIN_SECONDS = 300;

const secondsOf = (text: string): number => {
  const seconds = Number(text);
  if (/^\d{1,5}$/.test(text) && seconds <= LONGEST_WAIT_SECONDS) return seconds;
  throw new UsageError(`--signs-in takes seconds, 0 to ${LONGEST_WAIT_SECONDS}`);
};

/**
 * Makes a new key that signs tokens. Access keys that it replaces end by themselves, after the last token that they signed;
 * widget keys are retired by hand, because their tokens live as long as their payments.
 */
export const keysRotate = defineCommand({
  config: ['databaseUrl', 'masterKey'],
  run: async ({ args, config, print }) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        purpose: { type: 'string', default: 'access' },
        'signs-in': { type: 'string', default: String(SIGNS_IN_SECONDS) },
      },
    });
    const { purpose } = values;
    if (purpose !== 'access' && purpose !== 'widget') throw new UsageError('--purpose is access or widget');
    const signsInSeconds = secondsOf(values['signs-in']);
    await withDatabase(config, async (knex) => {
      // Opens the stored keys: a key that was sealed with another master key would keep the api from starting.
      await createKeyRing({ knex, masterKey: config.masterKey });
      const added = await rotateTokenKey(knex, makeTokenKey(config.masterKey, purpose), {
        signsInSeconds,
        retireAfterSeconds: purpose === 'access' ? ACCESS_TOKEN_SECONDS + MARGIN_SECONDS : null,
      });
      print(`${purpose} ${added.kid} signs from ${added.signs_from.toISOString()}`);
    });
  },
});

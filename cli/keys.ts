import { readFile } from 'node:fs/promises';
import { ACCESS_TOKEN_SECONDS } from '../api/auth/access-tokens.ts';
import { createKeyRing, makeTokenKey, tokenKeyContext, tryMasterKey } from '../api/auth/key-ring.ts';
import { answerContext } from '../db/audit/audited-transaction.ts';
import { encryptedColumns, rewriteColumn } from '../db/auth/encrypted.ts';
import { listAllTokenKeys, retireTokenKey, rotateTokenKey, type TokenKeyRow } from '../db/auth/token-keys.ts';
import { offerContext } from '../db/offers/store.ts';
import { credentialsContext, signingSecretContext } from '../domain/webhook.ts';
import { loadConfig } from '../runtime/config.ts';
import { decryptBytes, encryptBytes } from '../runtime/encryption.ts';
import { defineCommand, UsageError, readOptions } from './command/command.ts';
import { withDatabase, assertStopped } from './command/database.ts';

const stateOf = (key: TokenKeyRow, signing: boolean, now: number): string => {
  const retired = key.retired_at?.getTime() ?? Infinity;
  if (retired <= now) return 'retired';
  const until = key.retired_at === null ? '' : `, until ${key.retired_at.toISOString()}`;
  if (signing) return `signs${until}`;
  return key.signs_from.getTime() > now ? `signs from ${key.signs_from.toISOString()}` : `verifies${until}`;
};

/** Lists the token keys, newest first, with their current states. Never shows a secret part. */
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

/** Seconds for which a key is published and known to every process before it signs. */
const SIGNS_IN_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 86_400;
/** Seconds for which an old key stays valid after its last token has expired. */
const MARGIN_SECONDS = 300;

const secondsOf = (text: string): number => {
  const seconds = Number(text);
  if (/^\d{1,5}$/.test(text) && seconds <= LONGEST_WAIT_SECONDS) return seconds;
  throw new UsageError(`--signs-in takes seconds, 0 to ${LONGEST_WAIT_SECONDS}`);
};

/**
 * Creates a new token key. The access keys that it replaces retire after their last token has expired. Widget keys are
 * retired by hand, because their tokens live as long as their payments.
 */
export const keysRotate = defineCommand({
  config: ['databaseUrl', 'masterKey'],
  run: async ({ args, config, print }) => {
    const { values } = readOptions(args, {
      purpose: { type: 'string', default: 'access' },
      'signs-in': { type: 'string', default: String(SIGNS_IN_SECONDS) },
    });
    const { purpose } = values;
    if (purpose !== 'access' && purpose !== 'widget') throw new UsageError('--purpose is access or widget');
    const signsInSeconds = secondsOf(values['signs-in']);
    await withDatabase(config, async (knex) => {
      // Decrypts the stored keys first: a new key encrypted with another master key would keep the api from starting.
      await createKeyRing({ knex, masterKey: config.masterKey });
      const added = await rotateTokenKey(knex, makeTokenKey(config.masterKey, purpose), {
        signsInSeconds,
        retireAfterSeconds: purpose === 'access' ? ACCESS_TOKEN_SECONDS + MARGIN_SECONDS : null,
      });
      print(`${purpose} ${added.kid} signs from ${added.signs_from.toISOString()}`);
    });
  },
});

/** Retires a key now: every token that it signed is refused. */
export const keysRetire = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const [kid, ...rest] = args;
    if (kid === undefined || rest.length > 0) throw new UsageError('one key id is needed; keys list shows them');
    await withDatabase(config, async (knex) => {
      const outcome = await retireTokenKey(knex, kid);
      if (outcome === 'unknown') throw new Error(`no key ${kid} exists, or it is retired already`);
      if (outcome === 'needed') {
        throw new Error(`${kid} is still needed: no other key of its purpose signs yet; run keys rotate and wait`);
      }
      print(`${kid} is retired`);
    });
  },
});

/** The contexts of ciphertexts, each from the columns of its row. */
export const encryptionContexts: Record<keyof typeof encryptedColumns, (of: readonly string[]) => string> = {
  tokenKeys: ([purpose, kid]) => tokenKeyContext(purpose as 'access' | 'widget', kid!),
  credentials: ([id]) => credentialsContext(id!),
  signingSecrets: ([id]) => signingSecretContext(id!),
  previousSecrets: ([id]) => signingSecretContext(id!),
  answers: ([actor, target, key]) => answerContext(actor!, target!, key!),
  offers: ([payment, end]) => offerContext(payment!, end!),
};

/** Encrypts every stored secret with a new master key, in one transaction. */
export const masterKeyRotate = defineCommand({
  config: ['databaseUrl', 'masterKey'],
  run: async ({ args, config, print }) => {
    const [file, ...rest] = args;
    if (file === undefined || rest.length > 0) throw new UsageError('the file with the new master key is needed');
    const text = (await readFile(file, 'utf8')).trim();
    const { masterKey } = loadConfig({ CARAT_MASTER_KEY: text }, ['masterKey']);
    if (Buffer.from(masterKey).equals(config.masterKey)) throw new Error('the new master key is the current one');
    await withDatabase(config, async (knex) => {
      await assertStopped(knex);
      await tryMasterKey({ knex, masterKey: config.masterKey });
      const count = await knex.transaction(async (trx) => {
        let secrets = 0;
        for (const [name, column] of Object.entries(encryptedColumns)) {
          const contextOf = encryptionContexts[name as keyof typeof encryptedColumns];
          secrets += await rewriteColumn(trx, column, (encrypted, of) =>
            encryptBytes(masterKey, contextOf(of), decryptBytes(config.masterKey, contextOf(of), encrypted)),
          );
        }
        return secrets;
      });
      print(`${count} secrets are encrypted with the new master key: start api and workers with it`);
      print('Whoever has the old master key can read older backups: rotate what they hold');
    });
  },
});

import { readFile } from 'node:fs/promises';
import { tokenKeyContext, tryMasterKey } from '../api/auth/key-ring.ts';
import { loadConfig } from '../runtime/config.ts';
import { answerContext } from '../db/audit/idempotency.ts';
import { encryptedColumns, rewriteColumn } from '../db/auth/encrypted.ts';
import { offerContext } from '../db/offers/store.ts';
import { credentialsContext, signingSecretContext } from '../domain/webhook.ts';
import { decryptBytes, encryptBytes } from '../runtime/encryption.ts';
import { defineCommand, UsageError } from './command/command.ts';
import { withDatabase } from './command/database.ts';
import { assertStopped } from './command/stopped.ts';

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

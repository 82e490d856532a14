import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { rotateSigningSecret } from '../../db/webhooks/webhooks.ts';
import { changed } from '../../domain/audit.ts';
import type { Encryption } from '../../runtime/encryption.ts';
import type { Handlers } from '../http/handler.ts';
import { makeSigningSecret } from './credentials.ts';
import { auditNodeOf, lockWebhook } from './reach.ts';
import { toWebhook } from './response.ts';

interface RotationDeps {
  readonly knex: Knex;
  readonly encryption: Encryption;
}

/** `POST /api/v1/webhooks/{id}/rotate-secret`. */
export const createSecretRotation = ({ knex, encryption }: RotationDeps): Pick<Handlers, 'rotateWebhookSecret'> => ({
  rotateWebhookSecret: ({ params, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const target = await lockWebhook(trx, caller.nodeId, params.id);
      const { secret, encrypted } = makeSigningSecret(encryption, target.webhook.id);
      const after = toWebhook(await rotateSigningSecret(trx, target.webhook.id, encrypted));
      return {
        answer: { status: 200, body: { ...after, signing_secret: secret } },
        change: changed('webhook.secret_rotated', toWebhook(target.webhook), after, auditNodeOf(target)),
      };
    }),
});

import type { Knex } from 'knex';
import { operatorWebhookId as id } from '../../domain/alerts/alert.ts';
import type { OperatorWebhook } from '../../domain/ports/deliveries.ts';
import { closePending } from './deliveries.ts';
import { deleteWebhook, rotateSigningSecret, WebhookModel } from './webhooks.ts';

const end = async (trx: Knex.Transaction, stored: WebhookModel | undefined): Promise<void> => {
  if (stored === undefined || stored.deleted_at !== null) return;
  await deleteWebhook(trx, id);
  await closePending(trx, id, 'canceled');
};

/** Stores the operator's own configuration as active, or deletes it. A replaced secret also signs for another day. */
export const keepOperatorWebhook = (knex: Knex, wanted: OperatorWebhook | null): Promise<void> =>
  knex.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(7227272)');
    const stored = await WebhookModel.query(trx).findById(id).forUpdate();
    if (wanted === null) return end(trx, stored);
    const { host, path, encryptedCredentials, encryptedSecret, isSecret } = wanted;
    const row = {
      host,
      success_path: path,
      error_path: path,
      encrypted_credentials: encryptedCredentials,
      is_active: true,
      disabled_reason: null,
      deleted_at: null,
      // A configuration that still fails keeps its retries.
      failing_since: stored?.is_active === true ? stored.failing_since : null,
    };
    const secret = { encrypted_signing_secret: encryptedSecret };
    if (stored === undefined) {
      // The encrypted credentials decide what is sent. The column has no value for "none".
      await trx('webhook_configurations').insert({ ...row, ...secret, id, auth_type: 'basic' });
    } else {
      const old = stored.encrypted_signing_secret;
      await WebhookModel.query(trx)
        .findById(id)
        .touch({ ...row, ...(old === null ? secret : {}) } as never);
      if (old !== null && !isSecret(old)) await rotateSigningSecret(trx, id, encryptedSecret);
    }
  });

import type { Knex } from 'knex';
import { operatorWebhookId as id, operatorWebhookId } from '../../domain/alerts/alert.ts';
import type { OperatorWebhook, DueDelivery } from '../../domain/ports/deliveries.ts';
import { boundTo, execute, rowsOf } from '../query/statements.ts';
import { closePending } from './deliveries.ts';
import { deleteWebhook, rotateSigningSecret, WebhookModel } from './webhooks.ts';
import { keepBodies, readBodies } from './delivery-store.ts';
import { dueColumns, eventOfDelivery, firsts, retries, toDues, type DueRow } from './due.ts';
import { recordResults } from './record.ts';

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

/** SQL: ids of the operator's due deliveries, from the two partial indexes, so that no other deliveries are read. */
const pendingIds = [firsts, retries]
  .map(
    (kind) => `SELECT d.id FROM webhook_deliveries d WHERE ${kind} AND d.webhook_id = '${operatorWebhookId}'
    AND d.due_at <= clock_timestamp()`,
  )
  .join(' UNION ALL ');

/** Claims up to `limit` due deliveries, so that no other process sends them. Those without a recorded result are due again after the claim. */
const claim = async (knex: Knex, limit: number, claimMs: number): Promise<readonly DueDelivery[]> => {
  const readAt = performance.now();
  const rows = await rowsOf<DueRow>(knex, { limit, claim_ms: claimMs })(`
WITH taken AS MATERIALIZED (
  SELECT d.id FROM webhook_deliveries d JOIN webhook_configurations c ON c.id = d.webhook_id AND c.is_active AND c.deleted_at IS NULL
  WHERE d.id = ANY (ARRAY(${pendingIds})) AND d.state = 'pending' AND d.due_at <= clock_timestamp()
  ORDER BY d.id LIMIT :limit FOR NO KEY UPDATE OF d SKIP LOCKED
), lent AS (
  UPDATE webhook_deliveries d SET due_at = clock_timestamp() + make_interval(secs => :claim_ms / 1000.0)
  FROM taken t WHERE d.id = t.id RETURNING d.*
)
SELECT ${dueColumns} FROM lent d ${eventOfDelivery} JOIN webhook_configurations c ON c.id = d.webhook_id
LEFT JOIN wallets s ON s.id = c.wallet_id ORDER BY d.id`);
  return toDues(rows, readAt);
};

/** Creates the store of the operator's deliveries. Unlike those of merchants, every process sends them, so each process claims its own. */
export const createOperatorDeliveryStore = (knex: Knex) =>
  boundTo(knex, { claim, readBodies, keepBodies, record: recordResults });

export type OperatorDeliveryStore = ReturnType<typeof createOperatorDeliveryStore>;

/**
 * Queues a `carat.alive` event for the operator's webhook, unless a process has done so within the interval. Cancels earlier
 * undelivered ones, because only the newest has a meaning.
 */
export const queueAlive = async (knex: Knex, seconds: number): Promise<void> => {
  await execute(knex, { seconds })(`
WITH turn AS (
  UPDATE alive_turn SET told_at = clock_timestamp()
  WHERE told_at <= clock_timestamp() - make_interval(secs => :seconds) RETURNING 1
), target AS (
  SELECT c.id FROM webhook_configurations c, turn
  WHERE c.id = '${operatorWebhookId}' AND c.deleted_at IS NULL AND c.is_active
), untaken AS MATERIALIZED (
  SELECT d.id FROM webhook_deliveries d JOIN target t ON t.id = d.webhook_id JOIN webhook_events e ON e.id = d.event_id
  WHERE d.state = 'pending' AND e.type = 'carat.alive' ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED
), canceled AS (
  UPDATE webhook_deliveries SET state = 'canceled', updated_at = clock_timestamp() WHERE id IN (SELECT id FROM untaken)
), event AS (
  INSERT INTO webhook_events (type, snapshot)
  SELECT 'carat.alive', jsonb_build_object('interval_seconds', :seconds::int) FROM target RETURNING id
)
INSERT INTO webhook_deliveries (webhook_id, event_id) SELECT t.id, e.id FROM target t, event e`);
};

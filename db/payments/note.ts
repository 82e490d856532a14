import type { Knex } from 'knex';
import { notes, type NoteName } from '../../domain/payment.ts';
import { PAGES } from '../outbox/pages.ts';
import { eventStatements, wakeSender } from '../webhooks/events.ts';

/** A log entry and a webhook event of a payment whose status stays. */
export interface NoteRequest {
  readonly name: NoteName;
  readonly paymentId: string;
  /** Replaces the message of the note in the log. */
  readonly message?: string;
  readonly data: Record<string, unknown>;
}

/**
 * Writes a note: a log entry with the payment's next sequence, the signals to its workflows and the webhook events. Run it
 * inside the transaction of its cause.
 */
export const note = async (trx: Knex, request: NoteRequest): Promise<void> => {
  const { webhook, message } = notes[request.name];
  await trx.raw(
    `
WITH noted AS (
  UPDATE payments SET sequence = sequence + 1, updated_at = clock_timestamp() WHERE id = :payment_id RETURNING *
), logged AS (
  INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type, data, created_at)
  SELECT n.id, n.sequence, :event_type, n.status, :message, 'chain', :data::jsonb, n.updated_at FROM noted n
), signalled AS (
  INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
  SELECT 'payment_signal', n.network_id, follower.workflow_id, n.id, jsonb_build_object(
    'transaction_hash', :data::jsonb -> 'transaction_hash', 'block_number', :data::jsonb -> 'block_number',
    'block_hash', :data::jsonb -> 'block_hash', 'payment_id', n.id, 'sequence', n.sequence,
    'event_type', :event_type::text, 'status', n.status, 'status_detail', n.status_detail,
    'at', to_char(n.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  FROM noted n CROSS JOIN LATERAL (SELECT NULL AS workflow_id WHERE NOT n.is_blocked
    UNION ALL SELECT f.workflow_id FROM payment_followers f WHERE f.payment_id = n.id) follower
), ${eventStatements('noted', webhook)}
SELECT pg_notify('carat_outbox', ''), pg_notify('${PAGES}', id::text), ${wakeSender} FROM noted`,
    {
      payment_id: request.paymentId,
      event_type: request.name,
      message: request.message ?? message,
      data: JSON.stringify(request.data),
    },
  );
};

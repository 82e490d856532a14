import type { Knex } from 'knex';
import type { AuditContext } from '../../domain/audit.ts';
import { measure } from '../../runtime/measures.ts';
import { prepared, type Statement } from '../query/prepared.ts';
import { isUniqueViolation } from '../query/violations.ts';

/** The encryption context of a stored answer: it can be decrypted only for the same caller, target and key. */
export const answerContext = (actorId: string, target: string, key: string): string =>
  `answer ${JSON.stringify([actorId, target, key])}`;

/** The stored answer of an idempotency key. */
export interface StoredAnswer {
  readonly request_hash: Buffer;
  readonly status: number;
  readonly encrypted_answer: Buffer;
}

const findStatement: Statement = {
  name: 'idempotency_answer',
  text: `SELECT request_hash, status, encrypted_answer FROM idempotency_keys
    WHERE actor_id = $1 AND target = $2 AND key = $3`,
};

/** Finds the answer of the request's key; null when none is stored, or the request has no key. */
export const findAnswer = async (knex: Knex, audit: AuditContext): Promise<StoredAnswer | null> => {
  if (audit.idempotency === null) return null;
  const { target, key } = audit.idempotency;
  const [row] = await prepared<StoredAnswer>(knex, findStatement, [audit.actorId, target, key]);
  return row ?? null;
};

/** True for the error of a key that has a stored answer already. */
export const isKeyTaken = (error: unknown): boolean => isUniqueViolation(error, 'idempotency_keys_once');

const BATCH = 1_000;

/**
 * Deletes a batch of answers that are old enough and whose payment, if any, has ended.
 * @param days for which an answer is kept at least
 * @returns true when there may be more
 */
export const forgetAnswers = async (knex: Knex, days: number): Promise<boolean> => {
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `DELETE FROM idempotency_keys WHERE ctid IN (
       SELECT k.ctid FROM idempotency_keys k LEFT JOIN payments p ON p.id = k.payment_id
       WHERE k.created_at < now() - ? * interval '24 hours' AND (k.payment_id IS NULL OR p.terminal_at IS NOT NULL)
       ORDER BY k.created_at LIMIT ? FOR UPDATE OF k SKIP LOCKED)`,
    [days, BATCH],
  );
  measure('forgotten', { kind: 'answers', rows: rowCount });
  return rowCount === BATCH;
};

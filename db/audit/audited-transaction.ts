import type { Knex } from 'knex';
import type { Answer, AuditContext, AuditedWork, Change } from '../../domain/audit.ts';
import { againAfterDeadlock, isUniqueViolation } from '../query/errors.ts';
import { measure } from '../../runtime/measures.ts';
import { execute, prepared, type Statement } from '../query/statements.ts';

/**
 * Adds an entry to the audit log, for a change beside the main one of an operation or for a replayed answer.
 * @param audit null for an operator's command
 */
export const recordChange = async (trx: Knex, audit: AuditContext | null, change: Change): Promise<void> => {
  await trx('audit_log').insert({
    node_id: change.nodeId,
    actor_id: audit?.actorId ?? null,
    actor_node_id: audit?.actorNodeId ?? null,
    action: change.action,
    resource_id: change.resourceId,
    before: change.before === null ? null : JSON.stringify(change.before),
    after: change.after === null ? null : JSON.stringify(change.after),
    address: audit?.address ?? null,
    request_id: audit?.requestId ?? null,
  });
};

const record = async (trx: Knex.Transaction, audit: AuditContext, { answer, change }: AuditedWork): Promise<void> => {
  if (change !== null) await recordChange(trx, audit, change);
  if (audit.idempotency !== null) {
    const { key, target, requestHash, encrypt } = audit.idempotency;
    await trx('idempotency_keys').insert({
      actor_id: audit.actorId,
      target,
      key,
      request_hash: requestHash,
      status: answer.status,
      encrypted_answer: encrypt(JSON.stringify(answer.body)),
    });
  }
};

/**
 * Runs a change, its entry in the audit log and the stored answer of its idempotency key in one transaction. A concurrent
 * request with the same key waits for this one, and then fails with a unique violation of `idempotency_keys_once`; the API
 * turns that into the stored answer.
 * @param work runs again when the database rolled the transaction back to end a deadlock
 */
export const auditedTransaction = <A extends Answer>(
  knex: Knex,
  audit: AuditContext,
  work: (trx: Knex.Transaction) => Promise<AuditedWork<A>>,
): Promise<A> =>
  againAfterDeadlock(() =>
    knex.transaction(async (trx) => {
      const done = await work(trx);
      await record(trx, audit, done);
      return done.answer;
    }),
  );

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
  const rowCount = await execute(knex, [days, BATCH])(`DELETE FROM idempotency_keys WHERE ctid IN (
       SELECT k.ctid FROM idempotency_keys k LEFT JOIN payments p ON p.id = k.payment_id
       WHERE k.created_at < now() - ? * interval '24 hours' AND (k.payment_id IS NULL OR p.terminal_at IS NOT NULL)
       ORDER BY k.created_at LIMIT ? FOR UPDATE OF k SKIP LOCKED)`);
  measure('forgotten', { kind: 'answers', rows: rowCount });
  return rowCount === BATCH;
};

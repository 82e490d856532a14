import type { Knex } from 'knex';
import type { Answer, AuditContext, AuditedWork, Change } from '../../domain/audit.ts';
import { againAfterDeadlock } from '../query/deadlock.ts';

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

import type { Knex } from 'knex';
import type { Answer, AuditContext, AuditedWork, Change } from '../../domain/audit.ts';
import { againAfterDeadlock } from '../query/deadlock.ts';

/**
 * Enters something into the audit log: what a piece of work changes besides the one thing that it is about, or an answer
 * that was shown again.
 * @param audit null for the operator's command
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
      sealed_answer: encrypt(JSON.stringify(answer.body)),
    });
  }
};

/**
 * Runs a change with its entry in the audit log and the answer to its idempotency key in one transaction: all of it
 * happens or nothing. A request under the same key that runs meanwhile waits for this one, and then fails with a unique
 * violation of `idempotency_keys_once`, which the API answers with the stored answer.
 * @param work runs again when the database ended a deadlock with this transaction
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

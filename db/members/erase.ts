import type { Knex } from 'knex';
import { optionalMemberFields } from '../../domain/member.ts';
import { recordChange } from '../audit/audited-transaction.ts';

/** What an erasure has changed: rows by what they are. */
export interface Erasure {
  readonly fields: boolean;
  readonly addresses: number;
  readonly answers: number;
  readonly entries: number;
}

const erasedFields = optionalMemberFields.map((field) => `${field} = NULL`).join(', ');

/** SQL: the ids of what belongs to the member. */
const belongings = `owned AS MATERIALIZED (
  SELECT id FROM payments WHERE member_id = :id UNION ALL SELECT id FROM checkouts WHERE member_id = :id UNION ALL SELECT :id::uuid)`;

/**
 * SQL: an answer that is stored for an `Idempotency-Key` and shows the member: of one of its payments, or of the transaction that wrote an
 * entry of the audit log about it. Such a request, repeated, is refused as a duplicate.
 */
const answers = `WITH ${belongings}, written AS MATERIALIZED (
  SELECT a.actor_id, a.xmin AS transaction, a.created_at FROM audit_log a JOIN owned o ON o.id = a.resource_id
  WHERE a.created_at > (SELECT min(created_at) FROM idempotency_keys) - interval '1 minute'
)
DELETE FROM idempotency_keys k WHERE k.payment_id IN (SELECT id FROM owned)
  OR EXISTS (SELECT 1 FROM written w WHERE w.actor_id = k.actor_id AND w.transaction = k.xmin
    AND k.created_at BETWEEN w.created_at - interval '1 minute' AND w.created_at + interval '1 minute')`;

const withoutPerson = (column: string): string => `CASE WHEN a.action LIKE 'member.%' AND a.${column} IS NOT NULL THEN
  jsonb_strip_nulls(jsonb_build_object('id', a.${column} -> 'id', 'node_id', a.${column} -> 'node_id',
    'created_at', a.${column} -> 'created_at', 'updated_at', a.${column} -> 'updated_at')) ELSE a.${column} END`;

/** SQL: the personal columns of the audit log, which are no part of its digests. */
const entries = `WITH ${belongings}, cleaned AS MATERIALIZED (
  SELECT a.id, ${withoutPerson('before')} AS before, ${withoutPerson('after')} AS after
  FROM audit_log a JOIN owned o ON o.id = a.resource_id
)
UPDATE audit_log a SET address = NULL, before = c.before, after = c.after FROM cleaned c
WHERE a.id = c.id AND (a.address, a.before, a.after) IS DISTINCT FROM (NULL, c.before, c.after)`;

const countOf = async (trx: Knex, sql: string, id: string): Promise<number> =>
  (await trx.raw<{ rowCount: number }>(sql, { id })).rowCount;

/**
 * Erases the personal data of a member, everywhere: its own fields, `client_ip` of its payments, stored answers, and the audit log.
 * Payments, orders and their amounts stay, and the id of the member with them. Needs the role of the database's owner.
 * @param isWanted also a member that is not deleted, which is deleted thereby
 * @returns what has changed; null when there is no such member
 * @throws Error for a member that is not deleted
 */
export const eraseMember = (
  knex: Knex,
  id: string,
  { isWanted }: { readonly isWanted: boolean },
): Promise<Erasure | null> =>
  knex.transaction(async (trx) => {
    const member = await trx('members')
      .where({ id })
      .forUpdate()
      .first<{ node_id: string; deleted_at: Date | null } | undefined>();
    if (member === undefined) return null;
    if (member.deleted_at === null && !isWanted) {
      throw new Error(
        `the member ${id} is not deleted, so it may still buy; nothing was erased. Delete it first, or add --yes`,
      );
    }
    const fields = await countOf(
      trx,
      `UPDATE members SET external_id = 'erased:' || id, name = 'erased', ${erasedFields},
         deleted_at = coalesce(deleted_at, clock_timestamp()), updated_at = clock_timestamp()
       WHERE id = :id AND (name, external_id) IS DISTINCT FROM ('erased', 'erased:' || id)`,
      id,
    );
    const addresses = await countOf(
      trx,
      `UPDATE payments SET client_ip = NULL WHERE id = ANY (ARRAY(
         SELECT id FROM payments WHERE member_id = :id AND client_ip IS NOT NULL ORDER BY id FOR NO KEY UPDATE))`,
      id,
    );
    const erasure = {
      fields: fields > 0,
      addresses,
      answers: await countOf(trx, answers, id),
      entries: await countOf(trx, entries, id),
    };
    if (hasErased(erasure)) {
      const change = { nodeId: member.node_id, resourceId: id, before: null, after: { id } };
      await recordChange(trx, null, { action: 'member.erased', ...change });
    }
    return erasure;
  });

/** False when there was nothing left to erase. */
export const hasErased = ({ fields, addresses, answers: stored, entries: audited }: Erasure): boolean =>
  fields || addresses + stored + audited > 0;

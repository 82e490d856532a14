import type { Knex } from 'knex';
import { optionalMemberFields } from '../../domain/member.ts';
import { recordChange } from '../audit/audited-transaction.ts';
import { eraseAnswers, type AnswerCipher } from '../audit/erase-answers.ts';

/** Another member that may be the same person. */
export interface Namesake {
  readonly id: string;
  readonly node: string;
  readonly is_deleted: boolean;
  /** The fields in which both are equal. */
  readonly fields: readonly string[];
}

/** The changes of an erasure: rows by kind. */
export interface Erasure {
  readonly fields: boolean;
  readonly addresses: number;
  readonly answers: number;
  readonly entries: number;
  /** Members that stay, at most 100; it takes the erased fields to find them. */
  readonly namesakes: readonly Namesake[];
  /** Requests that still show the member may be under way, because it was deleted just now. */
  readonly isFresh: boolean;
}

const erasedFields = optionalMemberFields.map((field) => `${field} = NULL`).join(', ');

/** SQL: the ids of the resources that belong to the member. */
const belongings = `owned AS MATERIALIZED (
  SELECT id FROM payments WHERE member_id = :id UNION ALL SELECT id FROM checkouts WHERE member_id = :id UNION ALL SELECT :id::uuid)`;

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

const MOST_NAMESAKES = 100;

/** SQL: members with the same external_id in the same node, or with a field that one person only has. */
const namesakes = `SELECT m.id, n.name AS node, m.deleted_at IS NOT NULL AS is_deleted, array_remove(ARRAY[
    CASE WHEN m.node_id = e.node_id AND m.external_id = e.external_id THEN 'external_id' END,
    CASE WHEN lower(m.email) = lower(e.email) THEN 'email' END,
    CASE WHEN m.phone = e.phone THEN 'phone' END,
    CASE WHEN m.identity_number = e.identity_number THEN 'identity_number' END], NULL) AS fields
  FROM members e JOIN members m ON m.id <> e.id AND (m.node_id = e.node_id AND m.external_id = e.external_id
    OR lower(m.email) = lower(e.email) OR m.phone = e.phone OR m.identity_number = e.identity_number)
  JOIN nodes n ON n.id = m.node_id WHERE e.id = :id ORDER BY m.id LIMIT ${MOST_NAMESAKES}`;

const countOf = async (trx: Knex, sql: string, id: string): Promise<number> =>
  (await trx.raw<{ rowCount: number }>(sql, { id })).rowCount;

/**
 * Erases the personal data of a member, everywhere: its own fields, `client_ip` of its payments, stored answers, the audit log, and
 * samples in the statistics of these tables. Payments, orders and their amounts stay, and the id of the member with them. Needs the
 * role of the database's owner.
 * @param isWanted also a member that is not deleted, which is deleted thereby
 * @returns the changes; null when there is no such member
 * @throws Error for a member that is not deleted
 * @throws DecryptionError for another master key
 */
export const eraseMember = async (
  knex: Knex,
  id: string,
  { isWanted, cipher }: { readonly isWanted: boolean; readonly cipher: AnswerCipher },
): Promise<Erasure | null> => {
  const erasure = await knex.transaction((trx) => erase(trx, id, isWanted, cipher));
  // The planner keeps a sample of values. Not in the transaction, because it may wait for the autovacuum.
  if (erasure !== null) await knex.raw('ANALYZE members, payments, audit_log');
  return erasure;
};

const erase = async (
  trx: Knex.Transaction,
  id: string,
  isWanted: boolean,
  cipher: AnswerCipher,
): Promise<Erasure | null> => {
  const member = await trx('members')
    .where({ id })
    .forUpdate()
    .first<{ node_id: string; deleted_at: Date | null; is_fresh: boolean } | undefined>(
      'node_id',
      'deleted_at',
      trx.raw(`coalesce(deleted_at > clock_timestamp() - interval '1 minute', true) AS is_fresh`),
    );
  if (member === undefined) return null;
  if (member.deleted_at === null && !isWanted) {
    throw new Error(
      `the member ${id} is not deleted, so it may still buy; nothing was erased. Delete it first, or add --yes`,
    );
  }
  const { rows: found } = await trx.raw<{ rows: Namesake[] }>(namesakes, { id });
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
    answers: await eraseAnswers(trx, id, cipher),
    entries: await countOf(trx, entries, id),
    namesakes: found,
    isFresh: member.is_fresh,
  };
  if (hasErased(erasure)) {
    const change = { nodeId: member.node_id, resourceId: id, before: null, after: { id } };
    await recordChange(trx, null, { action: 'member.erased', ...change });
  }
  return erasure;
};

/** False when there was nothing left to erase. */
export const hasErased = ({ fields, addresses, answers: stored, entries: audited }: Erasure): boolean =>
  fields || addresses + stored + audited > 0;

import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';
import { type MemberFields, optionalMemberFields } from '../../domain/member.ts';
import { modelOf, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { recordChange } from '../audit/audited-transaction.ts';
import { eraseAnswers, type AnswerCipher } from '../audit/erase-answers.ts';
import { rowsOf } from '../query/statements.ts';

/** A buyer or recipient of a node. */
class MemberModel extends modelOf<MemberFields>() {
  static override readonly tableName = 'members';

  declare id: string;
  declare node_id: string;
  declare deleted_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/**
 * Stores a member.
 * @throws DomainError member_exists when the node has a live member of that external_id
 */
export const insertMember = async (
  trx: Knex.Transaction,
  nodeId: string,
  fields: MemberFields,
): Promise<MemberModel> => {
  for (;;) {
    // Waits for a concurrent insert of the same member, so that the second of two gets no row.
    const [inserted] = await trx<MemberModel>('members')
      .insert({ node_id: nodeId, ...fields })
      .onConflict(trx.raw('(node_id, external_id) WHERE deleted_at IS NULL') as unknown as 'id')
      .ignore()
      .returning('*');
    if (inserted !== undefined) return inserted;
    const existing = await MemberModel.query(trx)
      .live()
      .findOne({ node_id: nodeId, external_id: fields.external_id })
      .select('id');
    if (existing !== undefined) {
      throw new DomainError('member_exists', 'The node already has a member with this external_id', {
        extra: { existing_id: existing.id },
      });
    }
    // The existing member was deleted between the two statements: try again.
  }
};

/** Finds a member of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findMember = async (knex: Knex, scopeId: string, id: string): Promise<MemberModel | null> =>
  (await MemberModel.query(knex).live().inReach(scopeId).findById(id)) ?? null;

/** Like `findMember`, for a change. Other changes of the member wait; new payments that refer to it do not. */
export const lockMember = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<MemberModel | null> =>
  (await MemberModel.query(trx).live().inReach(scopeId).findById(id).forNoKeyUpdate()) ?? null;

/** Lists the members of one node, optionally with all below it, newest first. */
export const listMembers = (knex: Knex, filter: NodeFilter, request: PageRequest): Promise<Page<MemberModel>> =>
  fetchPage(MemberModel.query(knex).live().ofNode(filter), request);

/** Changes some fields of a locked member. */
export const updateMember = async (
  trx: Knex.Transaction,
  id: string,
  fields: Partial<MemberFields>,
): Promise<MemberModel> => MemberModel.query(trx).findById(id).touch(fields);

/** Soft-deletes a locked member. Its external_id can be used again. */
export const deleteMember = async (trx: Knex.Transaction, id: string): Promise<void> => {
  await MemberModel.query(trx).findById(id).softDelete();
};

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
  const found = await rowsOf<Namesake>(trx, { id })(namesakes);
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

import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';
import type { MemberFields } from '../../domain/member.ts';
import { MemberModel } from './model.ts';
import { inReach, ofNode, type NodeFilter } from '../query/node-filter.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

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
    // Waits for whoever is inserting the same, so that the second of two gets no row.
    const [inserted] = await trx<MemberModel>('members')
      .insert({ node_id: nodeId, ...fields })
      .onConflict(trx.raw('(node_id, external_id) WHERE deleted_at IS NULL') as unknown as 'id')
      .ignore()
      .returning('*');
    if (inserted !== undefined) return inserted;
    const existing = await MemberModel.query(trx)
      .findOne({ node_id: nodeId, external_id: fields.external_id })
      .whereNull('deleted_at')
      .select('id');
    if (existing !== undefined) {
      throw new DomainError('member_exists', 'The node has a member with this external_id', {
        extra: { existing_id: existing.id },
      });
    }
    // It was deleted between the two statements.
  }
};

/** A member of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findMember = async (knex: Knex, scopeId: string, id: string): Promise<MemberModel | null> =>
  (await inReach(MemberModel.query(knex).findById(id).whereNull('deleted_at'), scopeId)) ?? null;

/** Like `findMember`, for a change: whoever else wants to change it waits. Payments may refer to it meanwhile. */
export const lockMember = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<MemberModel | null> =>
  (await inReach(MemberModel.query(trx).findById(id).whereNull('deleted_at'), scopeId).forNoKeyUpdate()) ?? null;

/** The members of one node, or with all below it, newest first. */
export const listMembers = (knex: Knex, filter: NodeFilter, request: PageRequest): Promise<Page<MemberModel>> =>
  fetchPage(ofNode(MemberModel.query(knex).whereNull('deleted_at'), filter), request);

/** Changes some fields of a locked member. */
export const updateMember = async (
  trx: Knex.Transaction,
  id: string,
  fields: Partial<MemberFields>,
): Promise<MemberModel> =>
  MemberModel.query(trx).patchAndFetchById(id, { ...fields, updated_at: trx.raw('clock_timestamp()') as never });

/** Hides a locked member; its external_id may come again. */
export const deleteMember = async (trx: Knex.Transaction, id: string): Promise<void> => {
  const now = trx.raw('clock_timestamp()') as never;
  await MemberModel.query(trx).findById(id).patch({ deleted_at: now, updated_at: now });
};

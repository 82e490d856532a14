import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';
import type { MemberFields } from '../../domain/member.ts';
import { modelOf, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

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

import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import {
  deleteMember,
  findMember,
  insertMember,
  listMembers,
  lockMember,
  updateMember,
} from '../../db/members/members.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { created, deleted, differences, unchanged, updated } from '../../domain/audit.ts';
import { DomainError, found } from '../../domain/errors.ts';
import {
  memberFieldsOf,
  optionalMemberFields,
  toMember,
  type MemberFields,
  type StoredMember,
} from '../../domain/member.ts';
import { ofWritableSize } from '../limits/sizes.ts';
import type { MemberUpdate } from '../generated/openapi-types.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';

const refuseMove = (body: MemberUpdate, stored: StoredMember): void => {
  const errors = [
    ...(body.external_id !== undefined && body.external_id !== stored.external_id ? ['external_id'] : []),
    ...(body.node_id !== undefined && body.node_id.toLowerCase() !== stored.node_id ? ['node_id'] : []),
  ].map((field) => ({ path: `/body/${field}`, message: 'must not change' }));
  if (errors.length === 0) return;
  const message = `${errors.map((error) => error.path).join(' and ')} cannot be changed`;
  throw new DomainError('immutable_field', message, { errors });
};

const changesOf = (stored: MemberFields, body: MemberUpdate): Partial<MemberFields> =>
  differences(
    stored,
    Object.fromEntries((['name', ...optionalMemberFields] as const).map((field) => [field, body[field]])),
  );

/** Members: a node's buyers and recipients. */
export const createMemberHandlers = ({
  knex,
}: HandlerDeps): Pick<Handlers, 'createMember' | 'listMembers' | 'getMember' | 'updateMember' | 'deleteMember'> => ({
  createMember: async ({ body, caller, audit }) => {
    const node = found(await findNode(knex, caller.nodeId, body.node_id), 'node');
    return auditedTransaction(knex, audit, async (trx) =>
      created('member', ofWritableSize(toMember(await insertMember(trx, node.id, memberFieldsOf(body))))),
    );
  },

  listMembers: async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = found(await findNode(knex, caller.nodeId, query.node_id), 'node');
    const filter = { nodeId: node.id, includeDescendants: query.include_descendants };
    return { status: 200, body: pageBody(await listMembers(knex, filter, request), request, toMember) };
  },

  getMember: async ({ params, caller }) => ({
    status: 200,
    body: toMember(found(await findMember(knex, caller.nodeId, params.id), 'member')),
  }),

  updateMember: ({ params, body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const stored = found(await lockMember(trx, caller.nodeId, params.id), 'member');
      refuseMove(body, stored);
      const changes = changesOf(stored, body);
      const before = toMember(stored);
      if (Object.keys(changes).length === 0) return unchanged(before);
      const after = ofWritableSize(toMember(await updateMember(trx, stored.id, changes)));
      return updated('member', before, after);
    }),

  deleteMember: ({ params, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const stored = found(await lockMember(trx, caller.nodeId, params.id), 'member');
      await deleteMember(trx, stored.id);
      return deleted('member', toMember(stored));
    }),
});

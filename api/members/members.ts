import type { Knex } from 'knex';
import {
  deleteMember,
  findMember,
  insertMember,
  listMembers,
  lockMember,
  updateMember,
} from '../../db/members/members.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { DomainError } from '../../domain/errors.ts';
import { optionalMemberFields, type MemberFields } from '../../domain/member.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import { memberFieldsOf, toMember } from './response.ts';
import type { MemberUpdate } from '../generated/openapi-types.ts';
import { pageBody, pageRequest } from '../http/page.ts';

const nodeNotFound = (): DomainError => new DomainError('node_not_found', 'There is no such node');
const memberNotFound = (): DomainError => new DomainError('member_not_found', 'There is no such member');

const refuseChange = (body: MemberUpdate, stored: { external_id: string; node_id: string }): void => {
  const errors = [
    ...(body.external_id !== undefined && body.external_id !== stored.external_id ? ['external_id'] : []),
    ...(body.node_id !== undefined && body.node_id.toLowerCase() !== stored.node_id ? ['node_id'] : []),
  ].map((field) => ({ path: `/body/${field}`, message: 'must not change' }));
  if (errors.length === 0) return;
  const message = `${errors.map((error) => error.path).join(' and ')} can not be changed`;
  throw new DomainError('immutable_field', message, { errors });
};

/** The fields that a request gives another value than they have. */
const changesOf = (body: MemberUpdate, stored: MemberFields): Partial<MemberFields> =>
  Object.fromEntries(
    (['name', ...optionalMemberFields] as const)
      .filter((field) => body[field] !== undefined && body[field] !== stored[field])
      .map((field) => [field, body[field]]),
  );

/** Members: buyers and recipients of a node, as its merchant knows them. */
export const createMemberHandlers = ({
  knex,
}: {
  readonly knex: Knex;
}): Pick<Handlers, 'createMember' | 'listMembers' | 'getMember' | 'updateMember' | 'deleteMember'> => {
  const create: Handler<'createMember'> = async ({ body, caller, audit }) => {
    const node = await findNode(knex, caller.nodeId, body.node_id);
    if (node === null) throw nodeNotFound();
    return auditedTransaction(knex, audit, async (trx) => {
      const member = toMember(await insertMember(trx, node.id, memberFieldsOf(body)));
      const change = { nodeId: node.id, resourceId: member.id, before: null, after: member };
      return { answer: { status: 201 as const, body: member }, change: { action: 'member.created', ...change } };
    });
  };

  const list: Handler<'listMembers'> = async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = await findNode(knex, caller.nodeId, query.node_id);
    if (node === null) throw nodeNotFound();
    const filter = { nodeId: node.id, includeDescendants: query.include_descendants };
    return { status: 200, body: pageBody(await listMembers(knex, filter, request), request, toMember) };
  };

  const get: Handler<'getMember'> = async ({ params, caller }) => {
    const member = await findMember(knex, caller.nodeId, params.id);
    if (member === null) throw memberNotFound();
    return { status: 200, body: toMember(member) };
  };

  const update: Handler<'updateMember'> = ({ params, body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const stored = await lockMember(trx, caller.nodeId, params.id);
      if (stored === null) throw memberNotFound();
      refuseChange(body, stored);
      const before = toMember(stored);
      const changes = changesOf(body, stored);
      if (Object.keys(changes).length === 0) return { answer: { status: 200 as const, body: before }, change: null };
      const after = toMember(await updateMember(trx, stored.id, changes));
      const change = { nodeId: stored.node_id, resourceId: stored.id, before, after };
      return { answer: { status: 200 as const, body: after }, change: { action: 'member.updated', ...change } };
    });

  const remove: Handler<'deleteMember'> = ({ params, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const stored = await lockMember(trx, caller.nodeId, params.id);
      if (stored === null) throw memberNotFound();
      await deleteMember(trx, stored.id);
      const change = { nodeId: stored.node_id, resourceId: stored.id, before: toMember(stored), after: null };
      return { answer: { status: 204 as const, body: null }, change: { action: 'member.deleted', ...change } };
    });

  return { createMember: create, listMembers: list, getMember: get, updateMember: update, deleteMember: remove };
};

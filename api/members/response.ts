import type { MemberFields } from '../../domain/member.ts';
import { optionalMemberFields } from '../../domain/member.ts';
import type { Member, MemberData } from '../generated/openapi-types.ts';

/** A member as it is stored; inside of a payment its timestamps are text. */
type StoredMember = MemberFields & {
  readonly id: string;
  readonly node_id: string;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
};

/** The fields of a new member; what a client left out is null. */
export const memberFieldsOf = (data: MemberData): MemberFields => ({
  external_id: data.external_id,
  name: data.name,
  ...(Object.fromEntries(optionalMemberFields.map((field) => [field, data[field] ?? null])) as Record<
    (typeof optionalMemberFields)[number],
    string | null
  >),
});

/** The one shape a member has wherever it is answered. */
export const toMember = (member: StoredMember): Member => ({
  id: member.id,
  node_id: member.node_id,
  ...memberFieldsOf(member),
  created_at: new Date(member.created_at).toISOString(),
  updated_at: new Date(member.updated_at).toISOString(),
});

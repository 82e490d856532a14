/** Fields of a member that a client may omit or clear. */
export const optionalMemberFields = [
  'surname',
  'email',
  'phone',
  'identity_number',
  'tax_office',
  'tax_number',
  'address',
  'district',
  'city',
  'country',
  'contact_name',
  'locale',
] as const;

/** The personal data of a member. */
export type MemberFields = { readonly external_id: string; readonly name: string } & {
  readonly [Field in (typeof optionalMemberFields)[number]]: string | null;
};

/** The personal data of a member, as a client sends it. */
type GivenMember = Pick<MemberFields, 'external_id' | 'name'> & {
  readonly [Field in (typeof optionalMemberFields)[number]]?: string | null | undefined;
};

/** Completes the fields of a new member: omitted ones become null. */
export const memberFieldsOf = (data: GivenMember): MemberFields => ({
  external_id: data.external_id,
  name: data.name,
  ...(Object.fromEntries(optionalMemberFields.map((field) => [field, data[field] ?? null])) as Record<
    (typeof optionalMemberFields)[number],
    string | null
  >),
});

/** A member as it is stored. Inside a payment its timestamps are text. */
export interface StoredMember extends MemberFields {
  readonly id: string;
  readonly node_id: string;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

/** Describes a member as every answer of the API shows it. */
export const toMember = (member: StoredMember) => ({
  id: member.id,
  node_id: member.node_id,
  ...memberFieldsOf(member),
  created_at: new Date(member.created_at).toISOString(),
  updated_at: new Date(member.updated_at).toISOString(),
});

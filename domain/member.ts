/** What a client may leave out of a member, and clear. */
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

/** Personal data of a member, as a client gives it. */
export type MemberFields = { readonly external_id: string; readonly name: string } & {
  readonly [Field in (typeof optionalMemberFields)[number]]: string | null;
};

/** A member as a client may give it. */
type GivenMember = Pick<MemberFields, 'external_id' | 'name'> & {
  readonly [Field in (typeof optionalMemberFields)[number]]?: string | null | undefined;
};

/** The fields of a new member; what a client left out is null. */
export const memberFieldsOf = (data: GivenMember): MemberFields => ({
  external_id: data.external_id,
  name: data.name,
  ...(Object.fromEntries(optionalMemberFields.map((field) => [field, data[field] ?? null])) as Record<
    (typeof optionalMemberFields)[number],
    string | null
  >),
});

/** A member as it is stored; inside of a payment its timestamps are text. */
export interface StoredMember extends MemberFields {
  readonly id: string;
  readonly node_id: string;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

/** The one shape a member has wherever it is answered. */
export const toMember = (member: StoredMember) => ({
  id: member.id,
  node_id: member.node_id,
  ...memberFieldsOf(member),
  created_at: new Date(member.created_at).toISOString(),
  updated_at: new Date(member.updated_at).toISOString(),
});

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

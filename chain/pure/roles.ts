import { encodeBytes32String } from 'ethers';

/** A role that this release knows. */
export type Role = 'operator' | 'upgrader' | 'guardian' | 'signer';

/** Roles in the form of the registry: 32 bytes of ASCII text, 0x-prefixed hex. */
export const roleIds: Readonly<Record<Role, string>> = {
  operator: encodeBytes32String('operator'),
  upgrader: encodeBytes32String('upgrader'),
  guardian: encodeBytes32String('guardian'),
  signer: encodeBytes32String('signer'),
};

/** True for the name of a role that this release knows. */
export const isRole = (text: string | undefined): text is Role =>
  text !== undefined && Object.keys(roleIds).includes(text);

import { DomainError, type DomainErrorDetails } from '../../domain/errors.ts';

/**
 * Size limits, in bytes of UTF-8 JSON as answered, of a payment without its member, of an order without member and payment, and of a member. A payment with its member has at most
 * 64 KiB, so a page of 100 payments is at most 6.4 MB. A resource with every field and list at its own limit fits,
 * unless the 8 KiB of `metadata` are control characters, which JSON makes six times as long.
 */
const MAX_BYTES = { payment: 36 * 1_024, checkout: 36 * 1_024, member: 28 * 1_024 } as const;

/**
 * Returns the refusal of a resource that is too large; null when it fits.
 * @param path the request's path to the resource
 */
export const tooLarge = (what: keyof typeof MAX_BYTES, answer: object, path = '/body'): DomainError | null => {
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  if (bytes <= MAX_BYTES[what]) return null;
  const rule = `must make a ${what} of at most ${MAX_BYTES[what]} bytes as JSON in UTF-8`;
  const refusal = (message: string, without?: DomainErrorDetails['without']) =>
    new DomainError(`${what}_too_large`, `${path} ${message}`, { errors: [{ path, message }], without });
  // The size of a member tells the length of stored fields.
  const without = what === 'member' ? ({ permission: 'members.read', refusal: refusal(rule) } as const) : undefined;
  return refusal(`${rule}; it has ${bytes}`, without);
};

/** @throws DomainError member_too_large */
export const ofWritableSize = <Member extends object>(member: Member): Member => {
  const refusal = tooLarge('member', member);
  if (refusal !== null) throw refusal;
  return member;
};

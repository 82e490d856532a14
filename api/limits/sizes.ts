import { DomainError } from '../../domain/errors.ts';

/**
 * Bytes in UTF-8 that a payment without its member, and a member, may have as the JSON of their answers. Together they are
 * 64 KiB, so a page of 100 payments is 6.4 MB at most. Each field and each list fits at its own limit, unless the 8 KiB of
 * `metadata` are control characters, which JSON makes six times as long.
 */
const MAX_BYTES = { payment: 36 * 1_024, member: 28 * 1_024 } as const;

/**
 * Why something is too large to be written; null when it is not.
 * @param path of what the request says of it
 */
export const tooLarge = (what: keyof typeof MAX_BYTES, answer: object, path = '/body'): DomainError | null => {
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  if (bytes <= MAX_BYTES[what]) return null;
  const rule = `must make a ${what} of at most ${MAX_BYTES[what]} bytes as JSON in UTF-8; it has ${bytes}`;
  return new DomainError(`${what}_too_large`, `${path} ${rule}`, { errors: [{ path, message: rule }] });
};

/** @throws DomainError member_too_large */
export const ofWritableSize = <Member extends object>(member: Member): Member => {
  const refusal = tooLarge('member', member);
  if (refusal !== null) throw refusal;
  return member;
};

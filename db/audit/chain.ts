import { createHash } from 'node:crypto';

/** A link of the chain: the entries of one minute of the audit log. Minutes are counted since 1970. */
export interface Link {
  readonly number: number;
  readonly minute: number;
  readonly entries: number;
  /** Over the digests of the entries, in the order of their ids. */
  readonly entries_digest: Buffer;
  readonly digest: Buffer;
}

const whole = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};

/** The digest of a link, which follows the one with the digest `previous`. */
export const digestOfLink = (
  previous: Buffer,
  { number, minute, entries, entries_digest }: Omit<Link, 'digest'>,
): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([previous, whole(number), whole(minute), whole(entries), entries_digest]))
    .digest();

/** The smallest id of a minute. */
export const idOf = (minute: number): string => {
  const hex = (minute * 60_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/** SQL: the minute of an entry, from its id. */
export const minuteOf = `(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 60000)`;

/**
 * SQL: an entry's `before` or `after` without personal data. Of a member, only the named fields count, so that a later version with
 * more fields gets the same digest.
 */
const impersonal = (column: string): string => `CASE WHEN action LIKE 'member.%' THEN
  jsonb_build_array(${column} -> 'id', ${column} -> 'node_id', ${column} -> 'created_at', ${column} -> 'updated_at') ELSE ${column} END`;

/**
 * SQL aggregates over entries of one minute: their number and digest. The address is personal, too, so it is no part of a digest.
 * Times are numbers, because the text of a time depends on the session.
 */
export const sums = `count(*)::int AS entries, sha256(string_agg(sha256(convert_to(jsonb_build_array(id, node_id, actor_id, actor_node_id,
  action, resource_id, ${impersonal('before')}, ${impersonal('after')}, request_id,
  (extract(epoch FROM created_at) * 1000000)::bigint)::text, 'UTF8')), ''::bytea ORDER BY id)) AS entries_digest`;

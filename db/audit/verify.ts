import type { Knex } from 'knex';
import { rowOf, rowsOf } from '../query/statements.ts';
import { digestOfLink, idOf, minuteOf, sums, type Link } from './chain.ts';

/** Where the chain is broken first. */
export interface Break {
  readonly kind:
    'entries_removed' | 'entries_added' | 'entries_altered' | 'link_removed' | 'link_altered' | 'head_differs';
  /** Start of the minute; null when no minute is known. */
  readonly minute: Date | null;
  /** A sentence for people. */
  readonly message: string;
}

/** The chain as far as it was verified. */
export interface Verdict {
  readonly entries: number;
  readonly links: number;
  /** Entries behind the newest link, which nothing proves yet. */
  readonly unlinked: number;
  /** Those among them that are so old that a worker should have linked them. */
  readonly late: number;
  /** Start of the first minute; null when the chain is empty. */
  readonly from: Date | null;
  readonly until: Date | null;
  /** Links before `from` that were deleted because of their age. */
  readonly forgotten: number;
  /** Number and digest of the newest link, to be noted elsewhere. */
  readonly head: string;
  readonly broken: Break | null;
}

/** A link that somebody has noted. */
export interface NotedHead {
  readonly number: number;
  /** Hexadecimal. */
  readonly digest: string;
}

/** Links of a part. */
const PART = 500;
/** Minutes by which the id of an entry may be ahead of the clock. */
const AHEAD = 60;
/** Minutes after which an entry has a link while a worker runs: two more than the longest transaction of a process. */
export const LATE = 12;

interface Ends {
  readonly last_number: number;
  readonly last_digest: Buffer;
  readonly forgotten_number: number;
  readonly forgotten_minute: number;
  readonly forgotten_digest: Buffer;
  readonly now: number;
}

const readEnds = (knex: Knex): Promise<Ends> =>
  rowOf<Ends>(knex)(`
       SELECT last_number::float8, last_digest, forgotten_number::float8, forgotten_minute::float8, forgotten_digest,
       floor(extract(epoch FROM clock_timestamp()) / 60)::float8 AS now FROM audit_chain`);

/** A minute as its link and its entries have it. */
interface Compared {
  readonly minute: number;
  readonly link: Link | null;
  readonly entries: number;
  readonly entries_digest: Buffer | null;
}

interface Row {
  readonly minute: number;
  readonly number: number | null;
  readonly linked: number | null;
  readonly linked_digest: Buffer | null;
  readonly digest: Buffer | null;
  readonly entries: number | null;
  readonly entries_digest: Buffer | null;
}

const toCompared = (row: Row): Compared => ({
  minute: row.minute,
  link:
    row.number === null
      ? null
      : {
          number: row.number,
          minute: row.minute,
          entries: row.linked!,
          entries_digest: row.linked_digest!,
          digest: row.digest!,
        },
  entries: row.entries ?? 0,
  entries_digest: row.entries_digest,
});

/** Reads the next links and the entries of all minutes up to the last of them, in one statement, so that both fit together. */
const readPart = async (knex: Knex, after: { number: number; minute: number }): Promise<Compared[]> => {
  const ends = await rowsOf<{ minute: number | null }>(knex, { number: after.number })(`
       SELECT max(minute)::float8 AS minute FROM (
       SELECT minute FROM audit_links WHERE number > :number ORDER BY number LIMIT ${PART}) part`);
  const last = ends[0]?.minute ?? null;
  if (last === null) return [];
  const rows = await rowsOf<Row>(knex, {
    number: after.number,
    from: idOf(after.minute + 1),
    end: idOf(last + 1),
    last,
  })(`
     WITH linked AS (
       SELECT * FROM audit_links WHERE number > :number AND minute <= :last ORDER BY number LIMIT ${PART}
     ), found AS (
       SELECT ${minuteOf} AS minute, ${sums} FROM audit_log WHERE id >= :from AND id < :end GROUP BY 1
     )
     SELECT coalesce(s.minute, f.minute)::float8 AS minute, s.number::float8, s.entries AS linked, s.entries_digest AS linked_digest,
       s.digest, f.entries, f.entries_digest
     FROM linked s FULL JOIN found f ON f.minute = s.minute ORDER BY coalesce(s.minute, f.minute), s.number`);
  return rows.map(toCompared);
};

const timeOf = (minute: number): Date => new Date(minute * 60_000);

const broken = (kind: Break['kind'], minute: number | null, message: string): Break => ({
  kind,
  minute: minute === null ? null : timeOf(minute),
  message,
});

const textOf = (minute: number): string => timeOf(minute).toISOString().slice(0, 16).replace('T', ' ');

/** The fault of one minute; null for none. */
const faultOf = (one: Compared, before: { number: number; digest: Buffer }): Break | null => {
  const { minute, link, entries, entries_digest } = one;
  const at = `${textOf(minute)} UTC`;
  if (link === null) {
    return broken('entries_added', minute, `${entries} entries were added at ${at}, a minute that no link knows`);
  }
  if (link.number !== before.number + 1) {
    return broken('link_removed', minute, `the link ${before.number + 1} before ${at} was removed`);
  }
  if (!digestOfLink(before.digest, link).equals(link.digest)) {
    return broken('link_altered', minute, `the link ${link.number} of ${at} was altered, or the one before it`);
  }
  const difference = entries - link.entries;
  if (difference < 0) return broken('entries_removed', minute, `${-difference} entries of ${at} were removed`);
  if (difference > 0) return broken('entries_added', minute, `${difference} entries were added at ${at}`);
  if (entries_digest === null || !entries_digest.equals(link.entries_digest)) {
    return broken('entries_altered', minute, `an entry of ${at} was altered`);
  }
  return null;
};

/** A minute without a link, followed by a link whose number skips one, lost its link. */
const isLinkLost = (part: readonly Compared[], index: number, before: number): boolean => {
  const next = part.slice(index).find(({ link }) => link !== null)?.link;
  return part[index]!.link === null && next != null && next.number > before + 1;
};

const countBefore = async (knex: Knex, minute: number): Promise<number> =>
  Number((await knex('audit_log').where('id', '<', idOf(minute)).count<{ count: string }[]>())[0]!.count);

interface Tail {
  readonly unlinked: number;
  readonly late: number;
  /** Those of a time to come. */
  readonly ahead: number;
}

/** Entries behind the newest link. */
const readTail = (knex: Knex, minute: number, now: number): Promise<Tail> =>
  rowOf<Tail>(knex, { after: idOf(minute + 1), late: idOf(now - LATE), ahead: idOf(now + AHEAD) })(`
       SELECT count(*)::int AS unlinked, count(*) FILTER (WHERE id < :late)::int AS late,
       count(*) FILTER (WHERE id >= :ahead)::int AS ahead FROM audit_log WHERE id >= :after`);

/** The part of the chain that was found whole. */
interface Proved {
  readonly number: number;
  readonly minute: number;
  readonly digest: Buffer;
  readonly entries: number;
  readonly first: number | null;
  readonly isNotedThere: boolean;
}

/** Goes on along the chain, until its end or the first difference. */
const walk = async (knex: Knex, start: Proved, isNoted: (link: Link) => boolean): Promise<[Proved, Break | null]> => {
  let proved = start;
  for (;;) {
    const part = await readPart(knex, proved);
    if (part.length === 0) return [proved, null];
    for (const [index, one] of part.entries()) {
      const found = isLinkLost(part, index, proved.number)
        ? broken('link_removed', one.minute, `the link ${proved.number + 1} of ${textOf(one.minute)} UTC was removed`)
        : faultOf(one, proved);
      if (found !== null) return [proved, found];
      const { number, minute, digest } = one.link!;
      const isNotedThere = proved.isNotedThere || isNoted(one.link!);
      proved = {
        number,
        minute,
        digest,
        isNotedThere,
        entries: proved.entries + one.entries,
        first: proved.first ?? minute,
      };
    }
  }
};

/** The fault of a chain that lacks the noted link; null for none. */
const judgeNoted = ({ isNotedThere }: Proved, { forgotten_number }: Ends, noted: NotedHead | null): Break | null => {
  if (noted === null || isNotedThere) return null;
  const message =
    noted.number < forgotten_number
      ? `the noted link ${noted.number} is older than the start of the chain, behind the link ${forgotten_number}`
      : `the chain does not contain the noted link ${noted.number}: it was rewritten, or the database was restored to before it`;
  return broken('head_differs', null, message);
};

const judgeStart = async (knex: Knex, { forgotten_minute }: Ends): Promise<Break | null> => {
  const early = await countBefore(knex, forgotten_minute + 1);
  const message = `${early} entries were added before the start of the chain`;
  return early === 0 ? null : broken('entries_added', forgotten_minute, message);
};

/**
 * Compares the audit log with its links, from the oldest minute on, until the first difference. It may run beside everything else:
 * a linked minute changes only by a manipulation, which this finds, or by `forgetEntries`.
 * @param noted a link that was noted earlier, which the chain must still contain
 */
export const verifyChain = async (knex: Knex, noted: NotedHead | null = null): Promise<Verdict> => {
  const ends = await readEnds(knex);
  const isNoted = ({ number, digest }: Pick<Link, 'number' | 'digest'>): boolean =>
    noted?.number === number && noted.digest === digest.toString('hex');
  const start = { number: ends.forgotten_number, minute: ends.forgotten_minute, digest: ends.forgotten_digest };
  const [proved, difference] = await walk(
    knex,
    { ...start, entries: 0, first: null, isNotedThere: isNoted(start) },
    isNoted,
  );
  const { unlinked, late, ahead } = await readTail(knex, proved.minute, ends.now);
  return {
    entries: proved.entries,
    links: proved.number - ends.forgotten_number,
    unlinked,
    late,
    from: proved.first === null ? null : timeOf(proved.first),
    until: proved.first === null ? null : timeOf(proved.minute + 1),
    forgotten: ends.forgotten_number,
    head: `${proved.number}:${proved.digest.toString('hex')}`,
    broken:
      (await judgeStart(knex, ends)) ?? difference ?? judgeEnd(proved, ends, ahead) ?? judgeNoted(proved, ends, noted),
  };
};

const judgeEnd = (last: { number: number; digest: Buffer }, ends: Ends, ahead: number): Break | null => {
  // A link that was added meanwhile is behind the one that the chain ended with.
  if (last.number < ends.last_number || (last.number === ends.last_number && !last.digest.equals(ends.last_digest))) {
    return broken(
      'link_removed',
      null,
      `the newest links were removed: the chain ends with ${last.number} instead of ${ends.last_number}`,
    );
  }
  if (ahead > 0) return broken('entries_added', null, `${ahead} entries are of a time to come`);
  return null;
};

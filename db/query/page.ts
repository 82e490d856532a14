import type { Knex } from 'knex';
import type { Model, QueryBuilder } from 'objection';

/** The place in a list where the next page begins: behind the last entry of the previous one. */
export interface Cursor {
  /** `created_at` of the last entry, in microseconds since the epoch as decimal text. */
  readonly at: string;
  /** Second sort key of that entry: its id or number. */
  readonly tie: string;
  /** Total as counted for the first page, so that deep pages need not count again. */
  readonly total: number;
  readonly page: number;
}

/** A page of a list: by number, counted from 1, or behind a cursor. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
  readonly after?: Cursor | undefined;
}

/** The end of a page, known after its entries are read. */
export interface PageEnd {
  /** Number of entries in the whole list. */
  readonly total: number;
  /** Start of the next page; null after the last one. */
  readonly next: Cursor | null;
}

/** A page that is read in parts, so that only one part is in memory at once. */
export interface Page<Item> {
  /** Its entries, part by part. The argument of `next` is the length of the previous part in the answer, in characters. */
  readonly parts: AsyncGenerator<readonly Item[], void, number>;
  /** Call it after all parts are read. */
  end(): Promise<PageEnd>;
}

/** How a list is read. */
export interface ListOptions<M extends Model> {
  /** Column that orders entries of the same microsecond; `id` by default. */
  readonly tie?: string;
  readonly branches?: Branches<M> | undefined;
  /** Counts the list faster than its query. */
  readonly count?: (() => Promise<number>) | undefined;
}

/** The position of an entry in a list. */
type Place = Pick<Cursor, 'at' | 'tie'>;

/** A row with its position. */
type Placed<M> = M & { readonly cursor_at: string } & Readonly<Record<string, unknown>>;

/** A part of a list: up to `limit` rows behind a position, or behind the first `skipped` rows. */
interface Slice {
  readonly after: Place | null;
  readonly skipped?: number;
  readonly limit: number;
}

/** A list of rows of many nodes, read node by node: each node's newest rows are found by an index. */
export interface Branches<M extends Model> {
  /** The node above all of them. */
  readonly rootId: string;
  /** The list of the node `branch`, a row of `nodes`, without a selection. */
  readonly ofBranch: QueryBuilder<M>;
}

/** Counts node by node: for a list of many nodes PostgreSQL would read the whole table. */
export const countOfBranches = async <M extends Model>(
  knex: Knex,
  { rootId, ofBranch }: Branches<M>,
): Promise<number> => {
  const { rows } = await knex.raw<{ rows: [{ total: string }] }>(
    `SELECT coalesce(sum(counted.count), 0) AS total FROM nodes branch CROSS JOIN LATERAL (?) counted
     WHERE branch.path @> ARRAY[?]::uuid[]`,
    [ofBranch.clone().count().toKnexQuery(), rootId],
  );
  return Number(rows[0].total);
};

/** Cuts a slice of a list query, newest first. */
const slice = <M extends Model>(
  query: QueryBuilder<M>,
  { after, skipped = 0, limit }: Slice,
  tie: string,
): QueryBuilder<M> => {
  const table = query.tableRefFor(query.modelClass());
  const rows = query
    .clone()
    .orderBy([
      { column: `${table}.created_at`, order: 'desc' },
      { column: `${table}.${tie}`, order: 'desc' },
    ])
    .limit(limit);
  return after === null
    ? rows.offset(skipped)
    : rows.whereRaw(`(??, ??) < (timestamptz 'epoch' + ?::bigint * interval '1 microsecond', ?)`, [
        `${table}.created_at`,
        `${table}.${tie}`,
        after.at,
        after.tie,
      ]);
};

/** The same slice of a list of many nodes: the newest of each node's newest. The tie must be a unique key of the table. */
const sliceOfBranches = <M extends Model>(
  query: QueryBuilder<M>,
  { rootId, ofBranch }: Branches<M>,
  { after, skipped = 0, limit }: Slice,
  tie: string,
): QueryBuilder<M> => {
  const table = query.tableRefFor(query.modelClass());
  const newest = slice(ofBranch, { after, limit: skipped + limit }, tie).select(
    `${table}.created_at`,
    `${table}.${tie}`,
  );
  const found = query.modelClass().raw(
    `(SELECT newest.?? FROM nodes branch CROSS JOIN LATERAL (?) newest WHERE branch.path @> ARRAY[?]::uuid[]
      ORDER BY newest.created_at DESC, newest.?? DESC LIMIT ? OFFSET ?)`,
    [tie, newest, rootId, tie, limit, skipped],
  );
  return slice(query, { after: null, limit }, tie).whereRaw('?? = ANY (ARRAY(?))', [`${table}.${tie}`, found]);
};

/** Reads a slice of a list query, newest first. */
const fetchRows = async <M extends Model>(
  query: QueryBuilder<M>,
  part: Slice,
  tie: string,
  branches?: Branches<M>,
): Promise<Placed<M>[]> => {
  const table = query.tableRefFor(query.modelClass());
  const rows = branches === undefined ? slice(query, part, tie) : sliceOfBranches(query, branches, part, tie);
  void rows.select(
    ...(query.hasSelects() ? [] : [`${table}.*`]),
    query.modelClass().raw('(extract(epoch FROM ??) * 1000000)::bigint::text AS cursor_at', `${table}.created_at`),
  );
  return (await rows) as unknown as Placed<M>[];
};

/** Reads a whole list in non-empty parts, without counting it. */
export const eachPage = async function* <M extends Model>(
  query: QueryBuilder<M>,
  perPage: number,
  { tie = 'id', branches }: Pick<ListOptions<M>, 'tie' | 'branches'> = {},
): AsyncGenerator<readonly M[], void> {
  let after: Place | null = null;
  for (;;) {
    const rows: Placed<M>[] = await fetchRows(query, { after, limit: perPage }, tie, branches);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < perPage) return;
    after = { at: last.cursor_at, tie: String(last[tie]) };
  }
};

/** Entries of the first part, which is the whole of a page of default size. */
const FIRST_ROWS = 10;
/** Target length of each further part in the answer, in characters. */
const PART_LENGTH = 128 * 1_024;

/** The progress of reading a page. */
interface Progress {
  count: number;
  last: Place | null;
  hasNext: boolean;
}

/** Runs one statement after another, because limits on connections count requests, not queries. */
const readParts = async function* <M extends Model>(
  query: QueryBuilder<M>,
  { page, perPage, after }: PageRequest,
  { tie = 'id', branches }: ListOptions<M>,
  progress: Progress,
): AsyncGenerator<readonly M[], void, number> {
  let wanted = FIRST_ROWS;
  progress.last = after ?? null;
  for (;;) {
    const size = Math.min(wanted, perPage - progress.count);
    const isLast = progress.count + size === perPage;
    const skipped = progress.count === 0 ? (page - 1) * perPage : 0;
    // One extra row tells whether a next page exists.
    const limit = isLast ? size + 1 : size;
    const rows: Placed<M>[] = await fetchRows(query, { after: progress.last, skipped, limit }, tie, branches);
    const shown = rows.slice(0, size);
    const last = shown.at(-1);
    if (last !== undefined) {
      progress.count += shown.length;
      progress.last = { at: last.cursor_at, tie: String(last[tie]) };
      progress.hasNext = rows.length > size;
      const length = yield shown;
      if (length > 0) wanted = Math.max(1, Math.floor((PART_LENGTH * shown.length) / length));
    }
    if (isLast || rows.length < size) return;
  }
};

/**
 * Runs a list query, newest first with a tie-break, so that the order is stable. A page behind a cursor costs the same at any
 * depth. It is read in parts, because a hundred entries may be megabytes.
 */
export const fetchPage = <M extends Model>(
  query: QueryBuilder<M>,
  request: PageRequest,
  options: ListOptions<M> = {},
): Promise<Page<M>> => {
  const { page, perPage, after } = request;
  const progress: Progress = { count: 0, last: null, hasNext: false };
  const countAll = async (): Promise<number> => {
    const showsAll = !progress.hasNext && (progress.count > 0 || page === 1);
    return showsAll ? (page - 1) * perPage + progress.count : (options.count?.() ?? query.clone().resultSize());
  };
  return Promise.resolve({
    parts: readParts(query, request, options, progress),
    end: async () => {
      const total = after?.total ?? (await countAll());
      const { last, hasNext } = progress;
      return { total, next: last === null || !hasNext ? null : { ...last, total, page: (after?.page ?? page) + 1 } };
    },
  });
};

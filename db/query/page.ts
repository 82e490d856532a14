import type { Model, QueryBuilder } from 'objection';

/** Where in a list the next page begins: behind the last entry of the one before. */
export interface Cursor {
  /** `created_at` of the last entry, in microseconds since the epoch as decimal text. */
  readonly at: string;
  /** Its second sort key: the id, or a number of its own. */
  readonly tie: string;
  /** As counted for the first page, so that deep pages need not count again. */
  readonly total: number;
  readonly page: number;
}

/** Which part of a list: by number, counted from 1, or behind a cursor. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
  readonly after?: Cursor | undefined;
}

/** A part of a list, how many there are in all, and where the next part begins; null if this was the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly next: Cursor | null;
}

/** Where an entry stands in a list. */
type Place = Pick<Cursor, 'at' | 'tie'>;

/** A row with its place. */
type Placed<M> = M & { readonly cursor_at: string } & Readonly<Record<string, unknown>>;

/** So many rows of a list query in its order, newest first, behind a place or from the beginning. */
const fetchRows = async <M extends Model>(
  query: QueryBuilder<M>,
  { after, skipped = 0, limit }: { readonly after: Place | null; readonly skipped?: number; readonly limit: number },
  tie: string,
): Promise<Placed<M>[]> => {
  const table = query.tableRefFor(query.modelClass());
  const rows = query
    .clone()
    .select(
      ...(query.hasSelects() ? [] : [`${table}.*`]),
      query.modelClass().raw('(extract(epoch FROM ??) * 1000000)::bigint::text AS cursor_at', `${table}.created_at`),
    )
    .orderBy([
      { column: `${table}.created_at`, order: 'desc' },
      { column: `${table}.${tie}`, order: 'desc' },
    ])
    .limit(limit);
  const part =
    after === null
      ? rows.offset(skipped)
      : rows.whereRaw(`(??, ??) < (timestamptz 'epoch' + ?::bigint * interval '1 microsecond', ?)`, [
          `${table}.created_at`,
          `${table}.${tie}`,
          after.at,
          after.tie,
        ]);
  return (await part) as unknown as Placed<M>[];
};

/** A list from its beginning to its end, in parts that hold something. Nothing is counted. */
export const eachPage = async function* <M extends Model>(
  query: QueryBuilder<M>,
  perPage: number,
  tie = 'id',
): AsyncGenerator<readonly M[], void> {
  let after: Place | null = null;
  for (;;) {
    const rows: Placed<M>[] = await fetchRows(query, { after, limit: perPage }, tie);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < perPage) return;
    after = { at: last.cursor_at, tie: String(last[tie]) };
  }
};

/**
 * Runs a list query, newest first with a second key as tie-break, so that the order is stable. A page behind a cursor
 * costs the same however deep it is.
 * @param tie column that orders entries of the same microsecond
 */
export const fetchPage = async <M extends Model>(
  query: QueryBuilder<M>,
  { page, perPage, after }: PageRequest,
  tie = 'id',
): Promise<Page<M>> => {
  const skipped = (page - 1) * perPage;
  // One more tells whether there is a next page. One after the other: who may use so many connections at once counts requests, not queries.
  const found = await fetchRows(query, { after: after ?? null, skipped, limit: perPage + 1 }, tie);
  const showsAll = after === undefined && found.length <= perPage && (found.length > 0 || page === 1);
  const total = after?.total ?? (showsAll ? skipped + found.length : await query.clone().resultSize());
  const items = found.slice(0, perPage);
  const last = items.at(-1);
  const next =
    last === undefined || found.length <= perPage
      ? null
      : { at: last.cursor_at, tie: String(last[tie]), total, page: (after?.page ?? page) + 1 };
  return { items, total, next };
};

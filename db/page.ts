import type { Model, QueryBuilder } from 'objection';

/** Which part of a list: pages count from 1. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

/** A part of a list and how many there are in all. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Runs a list query with its count, newest first with the id as tie-break, so that the order is stable. */
export const fetchPage = async <M extends Model>(
  query: QueryBuilder<M>,
  request: PageRequest,
  order: readonly string[] = ['created_at', 'id'],
): Promise<Page<M>> => {
  const [total, items] = await Promise.all([
    query.clone().resultSize(),
    query
      .clone()
      .orderBy(order.map((column) => ({ column, order: 'desc' as const })))
      .limit(request.perPage)
      .offset((request.page - 1) * request.perPage),
  ]);
  return { items, total };
};

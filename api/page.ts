import type { Page, PageRequest } from '../db/page.ts';

interface PageQuery {
  readonly page: number;
  readonly per_page: number;
}

export const pageRequest = (query: PageQuery): PageRequest => ({ page: query.page, perPage: query.per_page });

/** The answer of every list. */
export const pageBody = <Row, Item>(page: Page<Row>, query: PageQuery, toItem: (row: Row) => Item) => ({
  items: page.items.map(toItem),
  page: query.page,
  per_page: query.per_page,
  total: page.total,
});

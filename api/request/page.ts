import type { Cursor, Page, PageRequest } from '../../db/query/page.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { isBase64url } from './formats.ts';

interface PageQuery {
  readonly page: number;
  readonly per_page: number;
  readonly cursor?: string | undefined;
}

/** Microseconds up to the year 9999 have 18 digits. */
const shape = /^(\d{1,18}) ([0-9a-f-]{1,36}) (\d{1,15}) (\d{1,7})$/;
const ties = { uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, number: /^\d{1,9}$/ };

const encode = ({ at, tie, total, page }: Cursor): string =>
  Buffer.from(`${at} ${tie} ${total} ${page}`).toString('base64url');

const decode = (text: string, kind: keyof typeof ties): Cursor => {
  const [, at = '', tie = '', total, page] = shape.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (isBase64url(text) && ties[kind].test(tie) && Number(page) <= 1_000_000)
    return { at, tie, total: Number(total), page: Number(page) };
  throw invalidRequest({ path: '/query/cursor', message: 'must be the next_cursor of an earlier page of this list' });
};

/**
 * The page that a query requests.
 * @param kind of the list's second sort key
 * @throws DomainError invalid_request when the cursor does not belong to this kind of list
 */
export const pageRequest = ({ page, per_page, cursor }: PageQuery, kind: keyof typeof ties = 'uuid'): PageRequest => {
  const after = cursor === undefined ? undefined : decode(cursor, kind);
  return { page: after?.page ?? page, perPage: per_page, after };
};

/** The answer of a list, rendered while it is sent. */
export interface ListBody<Item> {
  readonly parts: Page<Item>['parts'];
  end(): Promise<Omit<PageQuery, 'cursor'> & { readonly total: number; readonly next_cursor: string | null }>;
}

const mapParts = async function* <Row, Item>(
  parts: Page<Row>['parts'],
  toItem: (row: Row) => Item,
): Page<Item>['parts'] {
  let length = 0;
  try {
    for (let part = await parts.next(length); part.done !== true; part = await parts.next(length)) {
      length = yield part.value.map(toItem);
    }
  } finally {
    await parts.return();
  }
};

/** The same list with other entries. */
export const mapList = <Item, Other>(list: ListBody<Item>, toItem: (item: Item) => Other): ListBody<Other> => ({
  ...list,
  parts: mapParts(list.parts, toItem),
});

/** The answer of a list, with each row as clients see it. */
export const pageBody = <Row, Item>(
  page: Page<Row>,
  request: PageRequest,
  toItem: (row: Row) => Item,
): ListBody<Item> => ({
  parts: mapParts(page.parts, toItem),
  end: async () => {
    const { total, next } = await page.end();
    return {
      page: request.page,
      per_page: request.perPage,
      total,
      next_cursor: next === null ? null : encode(next),
    };
  },
});

import type { Page, PageEnd } from '../../db/query/page.ts';

/** A page, read to its end. */
export const readPage = async <Item>(page: Promise<Page<Item>>): Promise<{ items: Item[] } & PageEnd> => {
  const { parts, end } = await page;
  const items: Item[] = [];
  for (let part = await parts.next(0); part.done !== true; part = await parts.next(0)) items.push(...part.value);
  return { items, ...(await end()) };
};

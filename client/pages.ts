/** One page of a list. */
export interface AnyPage {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

/** `await` yields the requested page, `for await` every entry from there to the end of the list. */
export interface Pages<Page extends AnyPage> extends Promise<Page>, AsyncIterable<Page['items'][number]> {}

/**
 * Makes a list iterable. Later pages are fetched by cursor on demand.
 * @param query query of the first page
 * @param fetchPage fetches the page of a query
 */
export const pages = <Page extends AnyPage, Query extends object>(
  query: Query,
  fetchPage: (query: Query & { cursor?: string }) => Promise<Page>,
): Pages<Page> => {
  const first = fetchPage(query);
  return Object.assign(first, {
    [Symbol.asyncIterator]: async function* () {
      for (let page = await first; ; page = await fetchPage({ ...query, cursor: page.next_cursor })) {
        yield* page.items;
        if (page.next_cursor === null) return;
      }
    },
  });
};

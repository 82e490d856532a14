/** One page of a list, as the API answers it. */
export interface AnyPage {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

/** `await` gives the one page that was asked for, `for await` every entry from there to the end of the list. */
export interface Pages<Page extends AnyPage> extends Promise<Page>, AsyncIterable<Page['items'][number]> {}

/**
 * Makes a list iterable. Pages behind the first are fetched by cursor, as they are needed.
 *
 * @param query of the first page
 * @param fetchPage asks for the page of a query
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

// Iterates over a list page by page, on demand.

export async function* iteratePages<Page extends { nextCursor?: string }, Item>(
  readPage: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    yield* itemsOf(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

// Walks a table by its id, for migrations that change every row: never all of them in memory.

/** Rows read at a time. */
const BATCH = 500;

/** `page` reads so many rows whose id is behind `after`, in the order of the ids; each is changed before the next page is read. */
export async function eachRow<Row extends { id: string }>(
  page: (after: string, limit: number) => Promise<Row[]>,
  change: (row: Row) => Promise<unknown>,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await page(after, BATCH);
    for (const row of rows) await change(row);
    if (rows.length < BATCH) return;
    after = rows.at(-1)!.id;
  }
}

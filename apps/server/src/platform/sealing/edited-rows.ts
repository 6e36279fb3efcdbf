// Counts the rows that this process found to be edited in the database, for a metric that an alert rule watches.
const counts = new Map<string, number>();

export function countEditedRow(table: string): void {
  counts.set(table, (counts.get(table) ?? 0) + 1);
}

/** Rows by table, since the start of the process. */
export function editedRows(): ReadonlyMap<string, number> {
  return counts;
}

// Counts rows that were edited in the database, by table, for a metric with an alert rule.
const counts = new Map<string, number>();

export function countEditedRow(table: string): void {
  counts.set(table, (counts.get(table) ?? 0) + 1);
}

export function editedRows(): ReadonlyMap<string, number> {
  return counts;
}

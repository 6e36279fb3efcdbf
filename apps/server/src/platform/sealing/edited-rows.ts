// Counts rows that were edited in the database, by table, for a metric with an alert rule.

/** Log of edited rows; a logger is one. */
export interface SealLog {
  error(fields: { table: string; row: string }, message: string): void;
}

const MAX_REPORTED = 1_000;
const counts = new Map<string, number>();
const reported = new Set<string>();

export function countEditedRow(table: string): void {
  counts.set(table, (counts.get(table) ?? 0) + 1);
}

/** Logs and counts each row once, however often it is read. */
export function reportEditedRow(log: SealLog, table: string, row: string): void {
  const name = `${table}/${row}`;
  if (reported.has(name) || reported.size >= MAX_REPORTED) return;
  reported.add(name);
  countEditedRow(table);
  log.error({ table, row }, 'a row was edited in the database and counts as absent');
}

export function editedRows(): ReadonlyMap<string, number> {
  return counts;
}

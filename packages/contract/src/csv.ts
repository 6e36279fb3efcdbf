// CSV rules shared by the service and the pages. No dependencies, so pages can import this file
// alone.

/** Columns read only on request. A cell may hold several values, separated by `;` or `|`. */
export const SCREENING_OPTIONAL_COLUMNS = [
  'name',
  'schema',
  'country',
  'nationality',
  'identifier',
  'address',
] as const;
export type ScreeningOptionalColumn = (typeof SCREENING_OPTIONAL_COLUMNS)[number];

/** Leading characters that make a cell a formula, full-width forms included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Writes one cell of a CSV file that people open in a spreadsheet. Text is always quoted, because a
 * spreadsheet that separates by `;` would split it. Text that looks like a formula gets an
 * apostrophe, because much of it comes from third parties.
 */
export function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

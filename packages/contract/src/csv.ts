// The rules for CSV files that the service and the pages share. This file has no dependencies, so that a page can import it alone.

/** Columns that are read only on request; several values in a cell are separated by `;` or `|`. */
export const SCREENING_OPTIONAL_COLUMNS = [
  'name',
  'schema',
  'country',
  'nationality',
  'identifier',
  'address',
] as const;
export type ScreeningOptionalColumn = (typeof SCREENING_OPTIONAL_COLUMNS)[number];

/** First characters that make a spreadsheet take a cell for a formula, full-width ones included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Writes one cell of a CSV file that people open in a spreadsheet. Text is always quoted: if the spreadsheet separates by `;`, the
 * text after one would be a cell of its own. Text that looks like a formula gets an apostrophe: much of it is written by others.
 */
export function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

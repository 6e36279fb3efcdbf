// Writes one cell of a CSV file so that neither a parser nor a spreadsheet takes it for something else.

/** A spreadsheet takes a cell that begins like this for a formula, and much of what is written is other people's. */
const FORMULA = /^[=+\-@\t\r]/;

export function quoteCell(cell: string): string {
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

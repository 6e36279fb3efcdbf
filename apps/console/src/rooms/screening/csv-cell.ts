// One value in a CSV file that people open in spreadsheets.

/**
 * Always quoted: where `;` separates, what follows one would be a cell of its own. What a spreadsheet would take for a formula gets
 * an apostrophe: names in a list are others' text.
 */
export function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

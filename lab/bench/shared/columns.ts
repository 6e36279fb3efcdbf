// Formats a table as text.

/** Aligns the first column left, the others right. */
export function renderColumns(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const renderRow = (row: string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ');
  return rows.map((row) => renderRow(row).trimEnd()).join('\n');
}

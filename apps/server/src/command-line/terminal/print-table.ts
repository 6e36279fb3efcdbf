// Aligned columns for the terminal.

export interface TableColumn {
  heading: string;
  align?: 'left' | 'right';
  paint?: (padded: string, value: string) => string;
}

const GAP = '  ';
/** Control characters and direction marks, with which a label could redraw the screen */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Prints rows without a final newline. `paintHeading` gets the padded headings. */
export function printTable(
  columnSpecs: readonly (TableColumn | string)[],
  rows: readonly (readonly string[])[],
  paintHeading: (text: string) => string = (text) => text,
): string {
  const columns = columnSpecs.map((column): TableColumn => (typeof column === 'string' ? { heading: column } : column));
  const shown = rows.map((row) => row.map(toPrintable));
  const widths = columns.map(({ heading }, index) =>
    Math.max(displayWidth(heading), ...shown.map((row) => displayWidth(row[index] ?? ''))),
  );
  const line = (cells: readonly string[], paint: (padded: string, column: TableColumn, value: string) => string) =>
    columns
      .map((column, index) => {
        const value = cells[index] ?? '';
        const isLast = index === columns.length - 1;
        return paint(pad(value, isLast && column.align !== 'right' ? 0 : (widths[index] ?? 0), column), column, value);
      })
      .join(GAP);
  const headings = columns.map(({ heading }) => heading);
  return [
    line(headings, paintHeading),
    ...shown.map((row) => line(row, (padded, { paint }, value) => paint?.(padded, value) ?? padded)),
  ]
    .map((text) => text.trimEnd())
    .join('\n');
}

export function printFields(fields: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...fields.map(([name]) => displayWidth(name)));
  return fields.map(([name, value]) => `  ${name.padEnd(width)}${GAP}${toPrintable(value)}`).join('\n');
}

export function printTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd');
}

/** Makes external text printable, and keeps its line breaks. */
export function toPrintableLines(text: string): string {
  return text.split('\n').map(toPrintable).join('\n');
}

/** Counts the columns of a text. Characters of East Asian scripts and emoji take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += WIDE.test(segment) || /\p{Emoji_Presentation}/u.test(segment) ? 2 : 1;
  }
  return width;
}

function pad(text: string, width: number, { align }: TableColumn): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? space + text : text + space;
}

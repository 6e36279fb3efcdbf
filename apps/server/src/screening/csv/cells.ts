// Reads the cells of complete CSV rows as text.
import { RowScanner } from './rows.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Calls `onRow` with the cells of each row, in order. The bytes hold complete rows. */
export function readCells(bytes: Uint8Array, delimiter: number, onRow: (cells: string[]) => void): void {
  let cells: string[] = [];
  const scanner = new RowScanner(delimiter, {
    cell(start, end, escaped) {
      const text = decoder.decode(bytes.subarray(start, end));
      cells.push(escaped ? text.replaceAll('""', '"') : text);
    },
    row() {
      onRow(cells);
      cells = [];
    },
  });
  scanner.scan(bytes);
  scanner.finish();
}

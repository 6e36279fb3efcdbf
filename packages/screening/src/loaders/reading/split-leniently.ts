// Splits one CSV row into cells even if its quotes are broken. Also splits multi-valued cells.

const QUOTE = 0x22;

/** A quote closes a cell only if the cell can end there, so `"the "big" one","x"` is repaired. */
export function splitLeniently(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= line.length; ) {
    if (line.charCodeAt(at) !== QUOTE) {
      const end = line.indexOf(delimiter, at);
      cells.push(end === -1 ? line.slice(at) : line.slice(at, end));
      at = end === -1 ? line.length + 1 : end + 1;
      continue;
    }
    let close = line.indexOf(`"${delimiter}`, at + 1);
    // An escaped quote before the delimiter does not end the cell; an even number of quotes does.
    while (close !== -1 && countQuotesBefore(line, close, at + 1) % 2 === 1)
      close = line.indexOf(`"${delimiter}`, close + 1);
    const end = close === -1 ? (line.endsWith('"') && line.length > at + 1 ? line.length - 1 : line.length) : close;
    cells.push(line.slice(at + 1, end).replaceAll('""', '"'));
    at = close === -1 ? line.length + 1 : close + 2;
  }
  return cells;
}

function countQuotesBefore(line: string, position: number, from: number): number {
  let count = 0;
  while (position - count - 1 >= from && line.charCodeAt(position - count - 1) === QUOTE) count++;
  return count;
}

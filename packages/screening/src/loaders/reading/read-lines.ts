// Splits a source into lines, one batch per block, because an async generator step per line is
// slow.
import { type LoadReport, MAX_RECORD_BYTES } from './load-report.ts';
import { type Chunks, readBlocks } from './read-blocks.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Null for a line over the limit. It still counts for line numbers. */
export type Line = string | null;

export async function* readLines(
  chunks: Chunks,
  report: LoadReport,
  maxBytes = MAX_RECORD_BYTES,
): AsyncGenerator<Line[]> {
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  let isFirst = true;
  const takeLine = (last: Buffer): Line => {
    const bytes = carriedBytes + last.length;
    // Decodes line by line. This never cuts a character, and a kept cell retains only its own line
    // instead of the whole block.
    const whole = carried.length === 0 ? last : Buffer.concat([...carried, last]);
    carried = [];
    carriedBytes = 0;
    const from = isFirst ? lengthOfByteOrderMark(whole) : 0;
    isFirst = false;
    if (bytes > maxBytes) return null;
    return whole.toString('utf8', from, whole.at(-1) === CARRIAGE_RETURN ? whole.length - 1 : whole.length);
  };
  for await (const block of readBlocks(chunks, report)) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = block.indexOf(LINE_FEED); end !== -1; end = block.indexOf(LINE_FEED, start)) {
      lines.push(takeLine(block.subarray(start, end)));
      start = end + 1;
    }
    const rest = block.subarray(start);
    carriedBytes += rest.length;
    if (carriedBytes > maxBytes) carried = [];
    else if (rest.length > 0) carried.push(rest);
    if (lines.length > 0) yield lines;
  }
  if (carriedBytes > 0) yield [takeLine(Buffer.alloc(0))];
}

function lengthOfByteOrderMark(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

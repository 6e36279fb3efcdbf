// Re-chunks a source, so that very small or very large chunks cost no time or memory downstream.
export type Chunks = AsyncIterable<Uint8Array>;

/** `ofac-csv` uses up to four files, other formats only main. */
export interface ListSource {
  main: Chunks;
  aliases?: Chunks;
  addresses?: Chunks;
  /** Continuation of remarks in the main file. */
  comments?: Chunks;
}

const MIN_BYTES = 64 * 1024;
const MAX_BYTES = 256 * 1024;

export async function* readBlocks(chunks: Chunks, report: { bytes: number }): AsyncGenerator<Buffer> {
  let small: Buffer[] = [];
  let smallBytes = 0;
  for await (const chunk of chunks) {
    report.bytes += chunk.byteLength;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (smallBytes + bytes.length < MIN_BYTES) {
      small.push(bytes);
      smallBytes += bytes.length;
      continue;
    }
    if (smallBytes > 0) yield Buffer.concat(small, smallBytes);
    small = [];
    smallBytes = 0;
    for (let at = 0; at < bytes.length; at += MAX_BYTES) yield bytes.subarray(at, at + MAX_BYTES);
  }
  if (smallBytes > 0) yield Buffer.concat(small, smallBytes);
}

// Splits a stream of bytes into numbered lines in bounded memory. Empty lines are counted and left out.

export interface Line {
  /** Counts from 1, empty lines included. */
  number: number;
  bytes: Buffer | undefined;
  /** Bytes of the stream up to the end of the line. */
  end: number;
}

const [NEWLINE, RETURN] = [0x0a, 0x0d];

export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 1;
  let end = 0;
  let parts: Buffer[] = [];
  let length = 0;

  const add = (part: Buffer) => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): Line => {
    const bytes = length > maxBytes ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const line = { number, bytes, end };
    [number, parts, length] = [number + 1, [], 0];
    return line;
  };

  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const rest = at - from;
      const only = length + rest === 1 ? (rest === 1 ? chunk[from] : parts[0]![0]) : undefined;
      const isEmpty = length + rest === 0 || only === RETURN;
      if (!isEmpty) add(chunk.subarray(from, at));
      end += rest + 1;
      from = at + 1;
      // Millions of empty lines must not cost one step of the generator each.
      if (isEmpty) [number, parts, length] = [number + 1, [], 0];
      else yield take();
    }
    add(chunk.subarray(from));
    end += chunk.length - from;
  }
  if (length > 0) yield take();
}

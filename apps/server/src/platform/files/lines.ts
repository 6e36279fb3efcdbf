// Splits a stream of bytes into numbered lines, however long they are, in bounded memory. Empty lines are counted and left out.

export interface Line {
  /** Counted from 1, empty ones too. */
  number: number;
  /** Without its end; nothing when it is longer than allowed. */
  bytes: Buffer | undefined;
  /** Bytes of the stream up to its end. */
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
    // What is too long is not kept, only counted.
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
      // Millions of empty lines must not cost a turn of the generator each.
      if (isEmpty) [number, parts, length] = [number + 1, [], 0];
      else yield take();
    }
    add(chunk.subarray(from));
    end += chunk.length - from;
  }
  if (length > 0) yield take();
}

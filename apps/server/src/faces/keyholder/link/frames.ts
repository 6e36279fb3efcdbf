// Messages as bytes on a connection: a length, a header in JSON, and the blobs.

export const MAX_FRAME_BYTES = 17 * 1024 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_BLOBS = 1_024;
/** Blobs are aligned, so that they can be read as numbers in place. */
const ALIGNMENT = 16;
const LENGTH_BYTES = 4;

export interface Frame {
  header: Record<string, unknown>;
  blobs: Uint8Array[];
}

/** u32 bytes that follow ‖ u32 bytes of the header ‖ header ‖ blobs, each from a multiple of 16 of what follows. */
export function encodeFrame({ header, blobs }: Frame): Buffer {
  const text = Buffer.from(JSON.stringify({ ...header, lengths: blobs.map(({ length }) => length) }));
  let end = LENGTH_BYTES + text.length;
  const starts = blobs.map(({ length }) => {
    const start = align(end);
    end = start + length;
    return start;
  });
  if (end > MAX_FRAME_BYTES || text.length > MAX_HEADER_BYTES || blobs.length > MAX_BLOBS) {
    throw new Error('the message is too large');
  }
  const frame = Buffer.alloc(LENGTH_BYTES + end);
  frame.writeUInt32LE(end, 0);
  frame.writeUInt32LE(text.length, LENGTH_BYTES);
  text.copy(frame, 2 * LENGTH_BYTES);
  for (const [at, blob] of blobs.entries()) frame.set(blob, LENGTH_BYTES + starts[at]!);
  return frame;
}

/** Returns a reader that takes bytes in any portions and yields complete frames. It throws if the bytes are no frame. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Uint8Array) => void {
  const length = Buffer.alloc(LENGTH_BYTES);
  let lengthRead = 0;
  let body: Buffer | undefined;
  let bodyRead = 0;
  return (chunk) => {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (rest.length > 0) {
      if (!body) {
        const taken = rest.copy(length, lengthRead);
        lengthRead += taken;
        rest = rest.subarray(taken);
        if (lengthRead < LENGTH_BYTES) return;
        const bytes = length.readUInt32LE();
        if (bytes < LENGTH_BYTES || bytes > MAX_FRAME_BYTES) throw new Error('a frame of this length is refused');
        body = Buffer.allocUnsafeSlow(bytes);
        bodyRead = 0;
      }
      const taken = rest.copy(body, bodyRead);
      bodyRead += taken;
      rest = rest.subarray(taken);
      if (bodyRead < body.length) return;
      const whole = body;
      body = undefined;
      lengthRead = 0;
      onFrame(decodeBody(whole));
    }
  };
}

function decodeBody(body: Buffer): Frame {
  const headerBytes = body.readUInt32LE();
  let end = LENGTH_BYTES + headerBytes;
  if (headerBytes > MAX_HEADER_BYTES || end > body.length) throw new Error('the header is too long');
  let header: Record<string, unknown> | null;
  try {
    header = JSON.parse(body.toString('utf8', LENGTH_BYTES, end));
  } catch {
    throw new Error('the header is no JSON');
  }
  const lengths = header?.['lengths'];
  if (!header || !Array.isArray(lengths) || lengths.length > MAX_BLOBS) throw new Error('the blobs have no lengths');
  const blobs = lengths.map((length: unknown) => {
    if (!Number.isInteger(length) || (length as number) < 0) throw new Error('a blob has no length');
    const start = align(end);
    end = start + (length as number);
    if (end > body.length) throw new Error('a blob is longer than its frame');
    return new Uint8Array(body.buffer, body.byteOffset + start, length as number);
  });
  if (end !== body.length) throw new Error('there is more than the header says');
  return { header, blobs };
}

const align = (at: number) => Math.ceil(at / ALIGNMENT) * ALIGNMENT;

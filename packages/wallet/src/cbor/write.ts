// Writes CBOR around existing bytes, because signed or digested content must not be re-encoded.

const [BYTES, TEXT, ARRAY] = [2, 3, 4];
const ENCODED_CBOR = Buffer.of(0xd8, 24);

export const NOTHING: Uint8Array = Buffer.of(0xf6);

export function writeBytes(bytes: Uint8Array): Uint8Array[] {
  return [writeHead(BYTES, bytes.length), bytes];
}

export function writeText(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  return [writeHead(TEXT, bytes.length), bytes];
}

/** Head of an array. The items follow. */
export function writeArray(items: number): Uint8Array {
  return writeHead(ARRAY, items);
}

/** `#6.24(bstr)`. */
export function writeEncoded(bytes: Uint8Array): Uint8Array[] {
  return [ENCODED_CBOR, ...writeBytes(bytes)];
}

/** Writes the shortest form (RFC 8949, 3) of lengths below four gigabytes. */
function writeHead(major: number, argument: number): Buffer {
  const initial = major << 5;
  if (argument < 24) return Buffer.of(initial | argument);
  if (argument < 0x100) return Buffer.of(initial | 24, argument);
  if (argument < 0x1_0000) return Buffer.of(initial | 25, argument >> 8, argument & 0xff);
  const head = Buffer.of(initial | 26, 0, 0, 0, 0);
  head.writeUInt32BE(argument, 1);
  return head;
}

// Reads the dimensions that an image file claims from its first bytes, before anything is decoded.

export interface Size {
  width: number;
  height: number;
}

/** Contains the size in every format except JPEG. */
const HEAD_BYTES = 64 * 1024;
/** A JPEG's size follows other segments of up to 64 KB, such as previews. */
const MAX_SEGMENTS = 400;

/**
 * Returns null for formats other than JPEG, PNG, WebP, GIF, BMP, HEIC and AVIF, or if the size is
 * missing.
 */
export async function findSize(file: Blob): Promise<Size | null> {
  const head = await readBytes(file, 0, HEAD_BYTES);
  if (head.byteLength < 30) return null;
  if (head.getUint32(0) === 0x89504e47) return { width: head.getUint32(16), height: head.getUint32(20) };
  if (head.getUint16(0) === 0xffd8) return findJpegSize(file);
  if (readText(head, 0) === 'GIF8') return { width: head.getUint16(6, true), height: head.getUint16(8, true) };
  if (readText(head, 0) === 'RIFF' && readText(head, 8) === 'WEBP') return findWebpSize(head);
  if (readText(head, 0).startsWith('BM')) return findBmpSize(head);
  return readText(head, 4) === 'ftyp' ? findHeifSize(head) : null;
}

async function findJpegSize(file: Blob): Promise<Size | null> {
  for (let at = 2, segments = 0; segments < MAX_SEGMENTS; segments += 1) {
    const header = await readBytes(file, at, 9);
    if (header.byteLength < 9 || header.getUint8(0) !== 0xff) return null;
    const marker = header.getUint8(1);
    // Frame headers, except three markers in their range: tables and arithmetic coding.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: header.getUint16(5), width: header.getUint16(7) };
    at += marker === 0xff ? 1 : 2 + header.getUint16(2);
  }
  return null;
}

function findWebpSize(head: DataView): Size | null {
  const kind = readText(head, 12);
  if (kind === 'VP8 ') return { width: head.getUint16(26, true) & 0x3fff, height: head.getUint16(28, true) & 0x3fff };
  if (kind === 'VP8L') {
    const bits = head.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8X') return null;
  return { width: (head.getUint32(24, true) & 0xffffff) + 1, height: (head.getUint32(26, true) >>> 8) + 1 };
}

/** The oldest header has 16-bit sizes. A negative height marks an image stored top to bottom. */
function findBmpSize(head: DataView): Size {
  if (head.getUint32(14, true) === 12) return { width: head.getUint16(18, true), height: head.getUint16(20, true) };
  return { width: Math.abs(head.getInt32(18, true)), height: Math.abs(head.getInt32(22, true)) };
}

/** Returns the largest size in the file, because tiles and the preview have sizes too. */
function findHeifSize(head: DataView): Size | null {
  let largest: Size | null = null;
  for (let at = 8; at + 16 <= head.byteLength; at += 1) {
    if (head.getUint32(at) !== 0x69737065) continue;
    const size = { width: head.getUint32(at + 8), height: head.getUint32(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

function readText(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
}

async function readBytes(file: Blob, from: number, count: number): Promise<DataView> {
  return new DataView(await file.slice(from, from + count).arrayBuffer());
}

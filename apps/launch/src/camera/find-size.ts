// How large a picture file says that its picture is, from its first bytes: before anything is unpacked.

export interface Size {
  width: number;
  height: number;
}

/** Where all formats but one have it. */
const HEAD_BYTES = 64 * 1024;
/** Before a JPEG's size come previews, colour profiles and notes, in segments of 64 KB at most: more are not looked at. */
const MAX_SEGMENTS = 400;

/** Null for another format than JPEG, PNG, WebP, GIF, BMP, HEIC and AVIF, and where it does not say. */
export async function findSize(file: Blob): Promise<Size | null> {
  const head = await readBytes(file, 0, HEAD_BYTES);
  if (head.byteLength < 30) return null;
  if (head.getUint32(0) === 0x89504e47) return { width: head.getUint32(16), height: head.getUint32(20) };
  if (head.getUint16(0) === 0xffd8) return findJpegSize(file);
  if (textAt(head, 0) === 'GIF8') return { width: head.getUint16(6, true), height: head.getUint16(8, true) };
  if (textAt(head, 0) === 'RIFF' && textAt(head, 8) === 'WEBP') return findWebpSize(head);
  if (textAt(head, 0).startsWith('BM')) return findBmpSize(head);
  return textAt(head, 4) === 'ftyp' ? findHeifSize(head) : null;
}

async function findJpegSize(file: Blob): Promise<Size | null> {
  for (let at = 2, segments = 0; segments < MAX_SEGMENTS; segments += 1) {
    const header = await readBytes(file, at, 9);
    if (header.byteLength < 9 || header.getUint8(0) !== 0xff) return null;
    const marker = header.getUint8(1);
    // Frame headers, without the three of their range that are something else: tables and arithmetic coding.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: header.getUint16(5), width: header.getUint16(7) };
    at += marker === 0xff ? 1 : 2 + header.getUint16(2);
  }
  return null;
}

/** Its three kinds: with losses, without, and with more than a picture in it. */
function findWebpSize(head: DataView): Size | null {
  const kind = textAt(head, 12);
  if (kind === 'VP8 ') return { width: head.getUint16(26, true) & 0x3fff, height: head.getUint16(28, true) & 0x3fff };
  if (kind === 'VP8L') {
    const bits = head.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8X') return null;
  return { width: (head.getUint32(24, true) & 0xffffff) + 1, height: (head.getUint32(26, true) >>> 8) + 1 };
}

/** The oldest header has short numbers. A height below zero is that of a picture from top to bottom. */
function findBmpSize(head: DataView): Size {
  if (head.getUint32(14, true) === 12) return { width: head.getUint16(18, true), height: head.getUint16(20, true) };
  return { width: Math.abs(head.getInt32(18, true)), height: Math.abs(head.getInt32(22, true)) };
}

/** The largest of the sizes that it has: there is one of each tile and of the preview too. */
function findHeifSize(head: DataView): Size | null {
  let largest: Size | null = null;
  for (let at = 8; at + 16 <= head.byteLength; at += 1) {
    if (head.getUint32(at) !== 0x69737065) continue;
    const size = { width: head.getUint32(at + 8), height: head.getUint32(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
}

async function readBytes(file: Blob, from: number, count: number): Promise<DataView> {
  return new DataView(await file.slice(from, from + count).arrayBuffer());
}

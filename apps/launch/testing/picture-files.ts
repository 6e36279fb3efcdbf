// Headers of picture files that state the picture's size.

const short = (value: number) => [value >> 8, value & 0xff];
const long = (value: number) => [...short(value >>> 16), ...short(value & 0xffff)];
const text = (value: string) => [...new TextEncoder().encode(value)];
const small = (value: number, bytes: number) => Array.from({ length: bytes }, (_, i) => (value >>> (i * 8)) & 0xff);

function createFile(...bytes: number[]): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(Math.max(bytes.length, 64));
  file.set(bytes);
  return file;
}

export function createPng(width: number, height: number) {
  return createFile(
    0x89,
    ...text('PNG\r\n\u001a\n'),
    ...long(13),
    ...text('IHDR'),
    ...long(width),
    ...long(height),
    8,
    6,
  );
}

/** Has a preview before the frame header, like cameras' files, and the given notes and padding. */
export function createJpeg(width: number, height: number, { marker = 0xc2, notes = 0 } = {}) {
  const preview = [0xff, 0xe1, ...short(12), 0xff, 0xd8, 0xff, 0xc0, 0, 1, 0, 1, 9, 9];
  const note = [0xff, 0xe2, ...short(2 + 60_000), ...new Array<number>(60_000).fill(7)];
  const tables = [0xff, 0xc4, ...short(4), 0, 0];
  const frame = [0xff, 0xff, marker, ...short(11), 8, ...short(height), ...short(width), 3, 0, 0, 0, 0];
  const file = new Uint8Array(100 + notes * note.length);
  file.set([0xff, 0xd8, ...preview]);
  let at = 2 + preview.length;
  for (let i = 0; i < notes; i += 1, at += note.length) file.set(note, at);
  file.set([...tables, ...frame], at);
  return file;
}

export function createGif(width: number, height: number) {
  return createFile(...text('GIF89a'), ...small(width, 2), ...small(height, 2));
}

export function createBmp(width: number, height: number, isOld = false) {
  const size = isOld ? [...small(width, 2), ...small(height, 2)] : [...small(width, 4), ...small(height, 4)];
  return createFile(...text('BM'), ...new Array<number>(12).fill(0), ...small(isOld ? 12 : 40, 4), ...size);
}

export function createWebp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number) {
  const body = {
    'VP8 ': [0, 0, 0, 0x9d, 0x01, 0x2a, ...small(width, 2), ...small(height, 2)],
    VP8L: [0x2f, ...small((width - 1) | ((height - 1) << 14), 4)],
    VP8X: [0, 0, 0, 0, ...small(width - 1, 3), ...small(height - 1, 3)],
  }[kind];
  return createFile(...text('RIFF'), 0, 0, 0, 0, ...text('WEBP'), ...text(kind), 0, 0, 0, 0, ...body);
}

/** Has a tile of 512 pixels before and a preview after the size. */
export function createHeic(width: number, height: number) {
  const size = (w: number, h: number) => [...long(20), ...text('ispe'), 0, 0, 0, 0, ...long(w), ...long(h)];
  return createFile(
    ...long(16),
    ...text('ftypheic'),
    0,
    0,
    0,
    0,
    ...size(512, 512),
    ...size(width, height),
    ...size(320, 240),
  );
}

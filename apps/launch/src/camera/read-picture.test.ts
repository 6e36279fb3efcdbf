import { afterEach, describe, expect, test, vi } from 'vitest';
import { findSize, readPicture } from './read-picture.ts';

afterEach(() => vi.unstubAllGlobals());

const bytes = (...values: number[]) => new Uint8Array(values);
const short = (value: number) => [value >> 8, value & 0xff];
const long = (value: number) => [...short(value >>> 16), ...short(value & 0xffff)];

function png(width: number, height: number) {
  return bytes(
    0x89,
    0x50,
    0x4e,
    0x47,
    13,
    10,
    26,
    10,
    0,
    0,
    0,
    13,
    73,
    72,
    68,
    82,
    ...long(width),
    ...long(height),
    8,
    6,
  );
}

/** With a preview of its own before the frame header, as cameras write it, and padding between the two. */
function jpeg(width: number, height: number, marker = 0xc2) {
  const preview = [0xff, 0xe1, ...short(12), 0xff, 0xd8, 0xff, 0xc0, 0, 1, 0, 1, 9, 9];
  const tables = [0xff, 0xc4, ...short(4), 0, 0];
  return bytes(
    0xff,
    0xd8,
    ...preview,
    ...tables,
    0xff,
    0xff,
    marker,
    ...short(11),
    8,
    ...short(height),
    ...short(width),
    3,
    0,
    0,
    0,
    0,
  );
}

describe('the size that a file tells', () => {
  test.each([
    ['a PNG', png(70_000, 3), { width: 70_000, height: 3 }],
    ['a JPEG', jpeg(4000, 3000), { width: 4000, height: 3000 }],
    ['a JPEG without a frame', jpeg(4000, 3000, 0xe2), null],
    ['something else', bytes(...new TextEncoder().encode('RIFF....WEBPVP8 ............')), null],
    ['next to nothing', bytes(0xff, 0xd8), null],
  ])('of %s', (_what, file, size) => expect(findSize(file)).toEqual(size));
});

describe('opening a picture', () => {
  function stub(size: { width: number; height: number }) {
    const calls: unknown[] = [];
    const close = vi.fn();
    vi.stubGlobal('createImageBitmap', async (_source: unknown, options: unknown) => {
      calls.push(options);
      return { ...size, close };
    });
    return { calls, close };
  }

  test('turns it as the camera was held, and leaves it as large as it is', async () => {
    const { calls, close } = stub({ width: 2000, height: 1500 });
    await readPicture(new Blob([jpeg(2000, 1500)]));
    expect(calls).toEqual([{ imageOrientation: 'from-image' }, undefined]);
    expect(close).toHaveBeenCalledOnce();
  });

  test('makes a large one smaller', async () => {
    const { calls } = stub({ width: 4000, height: 6000 });
    await readPicture(new Blob([png(4000, 6000)]));
    expect(calls[1]).toEqual({ resizeWidth: 2000, resizeHeight: 3000, resizeQuality: 'high' });
  });

  test('refuses one that would not fit into memory before it is opened', async () => {
    const { calls } = stub({ width: 1, height: 1 });
    await expect(readPicture(new Blob([png(30_000, 30_000)]))).rejects.toThrow(RangeError);
    await expect(readPicture({ size: 26 * 1024 * 1024 } as Blob)).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
  });

  test('refuses one that did not say how large it is, and lets it go', async () => {
    const { calls, close } = stub({ width: 10_000, height: 5_001 });
    await expect(readPicture(new Blob(['something else that is a picture']))).rejects.toThrow(RangeError);
    expect([calls.length, close.mock.calls.length]).toEqual([1, 1]);
  });

  test('refuses what is no picture', async () => {
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('no picture')));
    await expect(readPicture(new Blob(['text']))).rejects.toThrow('no picture');
  });
});

import { afterEach, describe, expect, test, vi } from 'vitest';
import { createJpeg, createPng } from '../../testing/picture-files.ts';
import { readPicture } from './read-picture.ts';

afterEach(() => vi.unstubAllGlobals());

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

  test('rotates a picture by its orientation and keeps its size', async () => {
    const { calls, close } = stub({ width: 2000, height: 1500 });
    await readPicture(new Blob([createJpeg(2000, 1500)]));
    expect(calls).toEqual([{ imageOrientation: 'from-image' }, undefined]);
    expect(close).toHaveBeenCalledOnce();
  });

  test('scales a large picture down', async () => {
    const { calls } = stub({ width: 4000, height: 6000 });
    await readPicture(new Blob([createPng(4000, 6000)]));
    expect(calls[1]).toEqual({ resizeWidth: 2000, resizeHeight: 3000, resizeQuality: 'high' });
  });

  test('rejects a picture that would not fit into memory before decoding it', async () => {
    const { calls } = stub({ width: 1, height: 1 });
    await expect(readPicture(new Blob([createPng(30_000, 30_000)]))).rejects.toThrow(RangeError);
    await expect(readPicture({ size: 26 * 1024 * 1024 } as Blob)).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
  });

  test('rejects and closes a large picture without a claimed size', async () => {
    const { calls, close } = stub({ width: 10_000, height: 5_001 });
    await expect(readPicture(new Blob(['something else that is a picture']))).rejects.toThrow(RangeError);
    expect([calls.length, close.mock.calls.length]).toEqual([1, 1]);
  });

  test('rejects a large file without a claimed size', async () => {
    const { calls } = stub({ width: 10, height: 10 });
    await expect(readPicture(new Blob([new Uint8Array(5 * 1024 * 1024)]))).rejects.toThrow(RangeError);
    expect(calls).toEqual([]);
    await readPicture(new Blob([new Uint8Array(3 * 1024 * 1024)]));
  });

  test('rejects a file that is no picture', async () => {
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('no picture')));
    await expect(readPicture(new Blob(['text']))).rejects.toThrow('no picture');
  });
});

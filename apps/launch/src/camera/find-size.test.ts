import { expect, test } from 'vitest';
import { createBmp, createGif, createHeic, createJpeg, createPng, createWebp } from '../../testing/picture-files.ts';
import { findSize } from './find-size.ts';

test.each<[string, Uint8Array<ArrayBuffer>, [number, number]]>([
  ['a PNG', createPng(70_000, 3), [70_000, 3]],
  ['a JPEG', createJpeg(4000, 3000), [4000, 3000]],
  ['a JPEG after a megabyte of notes', createJpeg(4000, 3000, { notes: 18 }), [4000, 3000]],
  ['a GIF', createGif(11_585, 11_586), [11_585, 11_586]],
  ['a WebP', createWebp('VP8 ', 16_383, 9000), [16_383, 9000]],
  ['a WebP without losses', createWebp('VP8L', 16_384, 9000), [16_384, 9000]],
  ['an extended WebP', createWebp('VP8X', 70_000, 90_001), [70_000, 90_001]],
  ['a BMP', createBmp(30_000, 20_000), [30_000, 20_000]],
  ['a BMP from top to bottom', createBmp(30_000, -20_000), [30_000, 20_000]],
  ['an old BMP', createBmp(30_000, 20_000, true), [30_000, 20_000]],
  ['a HEIC', createHeic(4032, 3024), [4032, 3024]],
])('reads the size of %s', async (_, file, [width, height]) => {
  expect(await findSize(new Blob([file]))).toEqual({ width, height });
});

test.each<[string, Uint8Array<ArrayBuffer>]>([
  ['a JPEG without a frame', createJpeg(4000, 3000, { marker: 0xe2 })],
  ['a JPEG with only padding', new Uint8Array(100_000).fill(0xff).with(1, 0xd8)],
  ['a film', new Uint8Array(64).fill(1)],
  ['a two-byte file', new Uint8Array([0xff, 0xd8])],
])('finds no size in %s', async (_, file) => {
  expect(await findSize(new Blob([file]))).toBeNull();
});

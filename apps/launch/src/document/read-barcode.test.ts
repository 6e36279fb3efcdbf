import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import '../../testing/file-links.ts';

const { startBarcodeReader } = await import('./read-barcode.ts');

afterEach(() => vi.unstubAllGlobals());

test('loads a release that is a third larger', async () => {
  const file = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
  // A custom section, which WebAssembly ignores. Its length is LEB128-encoded.
  const more = Math.round(file.length / 3);
  const length = [(more & 0x7f) | 0x80, ((more >> 7) & 0x7f) | 0x80, more >> 14];
  const longer = Buffer.concat([file, Buffer.from([0, ...length]), Buffer.alloc(more, 0)]);
  vi.stubGlobal('fetch', async () => new Response(longer));
  vi.stubGlobal('ImageData', function ImageData(data: Uint8ClampedArray, width: number, height: number) {
    return { data, width, height };
  });
  const readBarcode = await startBarcodeReader();
  expect(await readBarcode({ width: 40, height: 40, data: new Uint8Array(1600).fill(255) })).toBeNull();
});

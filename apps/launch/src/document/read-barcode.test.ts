// The reader of barcodes as it is brought: by its own file, which has to fit into what is read of a reply.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import '../../testing/file-links.ts';

const { startBarcodeReader } = await import('./read-barcode.ts');

afterEach(() => vi.unstubAllGlobals());

test('a release that is a third longer is brought as well', async () => {
  const file = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
  // A custom section, which WebAssembly passes by: its length in 7 bits a byte.
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

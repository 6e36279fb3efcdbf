// Reads a PDF417 barcode in Node with the page's library.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { GrayImage } from '../src/image/gray.ts';

export function startBarcodeReader(): (image: GrayImage) => Promise<string | null> {
  const file = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
  // Loads it from the installed package; the default is a network fetch.
  prepareZXingModule({ overrides: { wasmBinary: file.buffer.slice(file.byteOffset, file.byteOffset + file.length) } });
  return async ({ width, height, data }) => {
    const pixels = Uint32Array.from(data, (level) => 0xff000000 | (level * 0x010101));
    const image = { width, height, data: new Uint8ClampedArray(pixels.buffer), colorSpace: 'srgb' as const };
    const [found] = await readBarcodes(image, {
      formats: ['PDF417'],
      textMode: 'Plain',
      maxNumberOfSymbols: 1,
      tryHarder: true,
    });
    return found?.isValid ? found.text : null;
  };
}

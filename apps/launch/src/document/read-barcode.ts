// Reads the barcode of a licence. The reader is WebAssembly from our own files, brought only for licences.
import type { GrayImage } from '@limen/documents';
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url';
import { fetchBytes } from '../loading/fetch-bytes.ts';
import { ModelLoadError } from '../loading/load-error.ts';

export type ReadBarcode = (image: GrayImage) => Promise<string | null>;

/** Twice as much as it has: a reply that travels compressed does not say how long it is, and another release is longer. */
const MAX_WASM_BYTES = 2 * 1024 * 1024;

export async function startBarcodeReader(): Promise<ReadBarcode> {
  const url = new URL(wasmUrl, import.meta.url).href;
  const [{ prepareZXingModule, readBarcodes }, bytes] = await Promise.all([
    import('zxing-wasm/reader').catch((cause: unknown) => {
      throw new ModelLoadError('offline', { cause });
    }),
    fetchBytes({ url, maxBytes: MAX_WASM_BYTES }),
  ]);
  const overrides = { wasmBinary: bytes.buffer as ArrayBuffer, locateFile: () => url };
  await prepareZXingModule({ overrides, fireImmediately: true });
  return async (image) => {
    const [found] = await readBarcodes(toImageData(image), {
      formats: ['PDF417'],
      textMode: 'Plain',
      maxNumberOfSymbols: 1,
      tryHarder: true,
    });
    return found?.isValid ? found.text : null;
  };
}

function toImageData({ width, height, data }: GrayImage): ImageData {
  const pixels = new Uint32Array(width * height);
  // Grey in each of the three colours, and opaque; it reads the same in either order of bytes that browsers run on.
  for (let i = 0; i < pixels.length; i += 1) pixels[i] = 0xff000000 | (data[i]! * 0x010101);
  return new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
}

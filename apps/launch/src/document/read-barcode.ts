// Reads the barcode of a license with our own WebAssembly file, loaded only for licenses.
import type { GrayImage } from '@limen/documents';
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url';
import { fetchBytes } from '../loading/fetch-bytes.ts';
import { ModelLoadError } from '../loading/load-error.ts';

export type ReadBarcode = (image: GrayImage) => Promise<string | null>;

/** Twice the current size, because a compressed reply does not state it and releases grow. */
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
  // Gray and opaque, which is the same in either byte order.
  for (let i = 0; i < pixels.length; i += 1) pixels[i] = 0xff000000 | (data[i]! * 0x010101);
  return new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
}

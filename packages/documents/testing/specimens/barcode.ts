// A PDF417 barcode on a sheet, written by zxing-wasm.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { type Box, fillBox, type Sheet } from './sheet.ts';

/** Module size in millimeters: three pixels of a sheet. */
const MODULE = 0.25;
let isPrepared = false;

/** Includes the quiet zone. `x`: middle, `y`: top. Returns the occupied box. */
export async function printBarcode(sheet: Sheet, text: string, { x, y }: { x: number; y: number }): Promise<Box> {
  if (!isPrepared) {
    const file = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm'));
    // Loads it from the installed package; the default is a network fetch.
    prepareZXingModule({
      overrides: { wasmBinary: file.buffer.slice(file.byteOffset, file.byteOffset + file.length) },
    });
    isPrepared = true;
  }
  const written = await writeBarcode(text, {
    format: 'PDF417',
    scale: 1,
    addQuietZones: false,
    options: 'columns=13,ecLevel=5',
  });
  if (written.error) throw new Error(`The barcode cannot be written: ${written.error}`);
  const { width, height, data } = written.symbol;
  const box = { x: x - (width * MODULE) / 2, y, width: width * MODULE, height: height * MODULE };
  fillBox(sheet, { x: box.x - 2, y: y - 1.6, width: box.width + 4, height: box.height + 3.2 }, [252, 252, 250]);
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      if (data[row * width + column] !== 0) continue;
      const place = { x: box.x + column * MODULE, y: y + row * MODULE, width: MODULE, height: MODULE };
      fillBox(sheet, place, [16, 16, 18]);
    }
  return box;
}

// How much light comes from each part of a document that fills the picture, and whether it is the one of a frame before.
import type { Frame } from '@limen/face-geometry';
import { createMean } from './mean-light.ts';

/** Red, green and blue of each cell, one after the other, 0 to 1 of what the camera can tell; NaN where it cannot. */
export interface DocumentSample {
  at: number;
  cells: Float64Array;
}

const [COLUMNS, ROWS] = [4, 3];
export const CELLS = COLUMNS * ROWS;
/** Of the picture's width and height. The smallest document that is read reaches beyond it on every side. */
const [FROM, TO] = [0.3, 0.7];
/** Of each cell, in each direction, so many pixels count: the rest of them would tell no more. */
const PIXELS = 40;

export function measureDocument({ width, height, data }: Frame, at: number): DocumentSample {
  const cells: number[] = [];
  for (let row = 0; row < ROWS; row += 1)
    for (let column = 0; column < COLUMNS; column += 1) {
      const mean = createMean();
      for (let y = 0; y < PIXELS; y += 1)
        for (let x = 0; x < PIXELS; x += 1) {
          const px = Math.floor(width * place(column + (x + 0.5) / PIXELS, COLUMNS));
          const py = Math.floor(height * place(row + (y + 0.5) / PIXELS, ROWS));
          const i = (py * width + px) * 4;
          mean.add(data[i]!, data[i + 1]!, data[i + 2]!);
        }
      cells.push(...mean.read());
    }
  return { at, cells: Float64Array.from(cells) };
}

function place(cell: number, of: number): number {
  return FROM + ((TO - FROM) * cell) / of;
}

/** The picture in a few grays: enough to know it again, too few to read or see anything in it. */
export type Outlook = Float32Array;

const [OUTLOOK_COLUMNS, OUTLOOK_ROWS] = [20, 12];
const OUTLOOK_PIXELS = 8;

export function sketchDocument({ width, height, data }: Frame): Outlook {
  const grays = new Float32Array(OUTLOOK_COLUMNS * OUTLOOK_ROWS);
  const [across, down] = [OUTLOOK_COLUMNS * OUTLOOK_PIXELS, OUTLOOK_ROWS * OUTLOOK_PIXELS];
  for (let y = 0; y < down; y += 1)
    for (let x = 0; x < across; x += 1) {
      const i = (Math.floor(((y + 0.5) * height) / down) * width + Math.floor(((x + 0.5) * width) / across)) * 4;
      const cell = Math.floor(y / OUTLOOK_PIXELS) * OUTLOOK_COLUMNS + Math.floor(x / OUTLOOK_PIXELS);
      grays[cell]! += data[i]! + 2 * data[i + 1]! + data[i + 2]!;
    }
  return grays;
}

/** Hands sway by less than a cell; most other things have their bright and dark places elsewhere, documents of one kind do not. */
const LEAST_ALIKE = 0.6;

/** Whatever light is on them. */
export function looksAlike(one: Outlook, other: Outlook): boolean {
  return correlate(one, other) >= LEAST_ALIKE;
}

function correlate(one: Outlook, other: Outlook): number {
  const [a, b] = [centre(one), centre(other)];
  const size = Math.hypot(...a) * Math.hypot(...b);
  return size > 0 ? a.reduce((sum, value, i) => sum + value * b[i]!, 0) / size : 0;
}

function centre(values: Outlook): Float32Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

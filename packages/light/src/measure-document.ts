// Measures the light of each part of a document that fills the picture, and recognizes the document
// of an earlier frame.
import type { Frame } from '@limen/face-geometry';
import { createMean } from './mean-light.ts';

/** Red, green and blue of each cell, 0 to 1 within the camera's range; NaN if clipped. */
export interface DocumentSample {
  at: number;
  cells: Float64Array;
}

const [COLUMNS, ROWS] = [4, 3];
export const CELLS = COLUMNS * ROWS;
/** Measured part of the picture's width and height. The smallest readable document covers it. */
const [FROM, TO] = [0.3, 0.7];
/** Sampled pixels per cell and direction. */
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

/** A coarse grayscale of the picture: enough for recognition, too little to read. */
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

/** Hands sway by less than a cell. Most other objects differ; documents of the same kind do not. */
const LEAST_ALIKE = 0.6;

/** Compares independently of the light. */
export function looksAlike(a: Outlook, b: Outlook): boolean {
  return correlate(a, b) >= LEAST_ALIKE;
}

function correlate(first: Outlook, second: Outlook): number {
  const [a, b] = [center(first), center(second)];
  const size = Math.hypot(...a) * Math.hypot(...b);
  return size > 0 ? a.reduce((sum, value, i) => sum + value * b[i]!, 0) / size : 0;
}

function center(values: Outlook): Float32Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

// Detects a screen by its color grid. Its pixels have red, green and blue side by side, so along
// the grid or its moiré the hue rotates in one direction. Ink only alternates between its own color
// and the paper's, however fine the print.
import type { Picture } from '../image/gray.ts';
import type { Box } from './box.ts';

/** Side of the square; a power of two. */
export const SIDE = 32;
export const AREA = SIDE * SIDE;

const COSINES = Float32Array.from({ length: SIDE / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / SIDE));
const SINES = Float32Array.from({ length: SIDE / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / SIDE));
/** Bit-reversed index of each value of a line. */
const ORDER = Uint8Array.from({ length: SIDE }, (_, i) => {
  let turned = 0;
  for (let bit = 1, rest = i; bit < SIDE; bit *= 2, rest >>= 1) turned = turned * 2 + (rest & 1);
  return turned;
});

/** Frequency (x, y), in cycles per side, is at y * SIDE + x; negative ones are offset by SIDE. */
export function transformSquare(real: Float32Array, imaginary: Float32Array): void {
  for (let i = 0; i < SIDE; i += 1) transformLine(real, imaginary, i * SIDE, 1);
  for (let i = 0; i < SIDE; i += 1) transformLine(real, imaginary, i, SIDE);
}

function transformLine(real: Float32Array, imaginary: Float32Array, start: number, step: number): void {
  for (let i = 0; i < SIDE; i += 1) {
    const other = ORDER[i]!;
    if (other <= i) continue;
    const a = start + i * step;
    const b = start + other * step;
    const re = real[a]!;
    const im = imaginary[a]!;
    real[a] = real[b]!;
    imaginary[a] = imaginary[b]!;
    real[b] = re;
    imaginary[b] = im;
  }
  for (let half = 1; half < SIDE; half *= 2) {
    const apart = half * step;
    const turns = SIDE / 2 / half;
    // Outer loop, because one rotation serves several pairs.
    for (let i = 0; i < half; i += 1) {
      const cos = COSINES[i * turns]!;
      const sin = SINES[i * turns]!;
      for (let a = start + i * step; a < start + SIDE * step; a += apart * 2) {
        const b = a + apart;
        const re = real[b]! * cos - imaginary[b]! * sin;
        const im = real[b]! * sin + imaginary[b]! * cos;
        real[b] = real[a]! - re;
        imaginary[b] = imaginary[a]! - im;
        real[a] = real[a]! + re;
        imaginary[a] = imaginary[a]! + im;
      }
    }
  }
}

/** Pixels per side. Cameras have half the resolution in color: 2 × 2 are one value. */
const PIECE = SIDE * 2;
const MOST_COLUMNS = 12;
const MOST_ROWS = 6;
/** Cycles per piece. Rainbow foils rotate too, but slowly, so slower waves get less weight. */
const FULL_WEIGHT = 8;
const SLOWEST = 3;
/** Added to all power against rounding in noise-free pictures: a fifth of a level. */
const FLOOR = 5;

const WINDOW = Float32Array.from({ length: AREA }, (_, i) => fade(i % SIDE) * fade(Math.floor(i / SIDE)));

function fade(place: number): number {
  return 0.5 - 0.5 * Math.cos((2 * Math.PI * (place + 0.5)) / SIDE);
}

/**
 * Returns the lead of waves that rotate one way over the opposite ones, at the strongest frequency:
 * 0 is equal, 1 is exclusive, averaged over the pieces of the box. Scaled down for fewer pieces,
 * because chance is larger. Returns null if no piece fits.
 */
export function measureColorGrid(picture: Picture, box: Box): number | null {
  const columns = Math.min(MOST_COLUMNS, Math.floor((box.right - box.left) / PIECE));
  const rows = Math.min(MOST_ROWS, Math.floor((box.bottom - box.top) / PIECE));
  if (columns < 1 || rows < 1) return null;
  const real = new Float32Array(AREA);
  const imaginary = new Float32Array(AREA);
  const sums = new Float32Array(AREA);
  for (let row = 0; row < rows; row += 1) {
    const top = spread(box.top, box.bottom, row, rows);
    for (let column = 0; column < columns; column += 1) {
      readColors(picture, spread(box.left, box.right, column, columns), top, real, imaginary);
      transformSquare(real, imaginary);
      addTurning(real, imaginary, sums);
    }
  }
  return findMost(sums) / Math.sqrt(rows * columns * MOST_ROWS * MOST_COLUMNS);
}

/** Even, like the camera's own 2 × 2 squares. */
function spread(from: number, to: number, place: number, of: number): number {
  const room = to - from - PIECE;
  return (Math.ceil(from + (of === 1 ? room / 2 : (room * place) / (of - 1))) >> 1) << 1;
}

/** Red against blue is real, green against both imaginary: the angle is the hue. */
function readColors(
  { width, data }: Picture,
  left: number,
  top: number,
  real: Float32Array,
  imaginary: Float32Array,
): void {
  let [meanReal, meanImaginary] = [0, 0];
  for (let y = 0, i = 0; y < SIDE; y += 1) {
    let at = ((top + y * 2) * width + left) * 4;
    const next = width * 4;
    for (let x = 0; x < SIDE; x += 1, i += 1, at += 8) {
      const red = data[at]! + data[at + 4]! + data[at + next]! + data[at + next + 4]!;
      const green = data[at + 1]! + data[at + 5]! + data[at + next + 1]! + data[at + next + 5]!;
      const blue = data[at + 2]! + data[at + 6]! + data[at + next + 2]! + data[at + next + 6]!;
      real[i] = (red - blue) / 8;
      imaginary[i] = (green - (red + blue) / 2) * 0.15;
      meanReal += real[i]! / AREA;
      meanImaginary += imaginary[i]! / AREA;
    }
  }
  for (let i = 0; i < AREA; i += 1) {
    real[i] = (real[i]! - meanReal) * WINDOW[i]!;
    imaginary[i] = (imaginary[i]! - meanImaginary) * WINDOW[i]!;
  }
}

/** An alternating hue also has the opposite frequency. Averages neighbors for tilted grids. */
function addTurning(real: Float32Array, imaginary: Float32Array, sums: Float32Array): void {
  for (let i = 0; i < AREA; i += 1) real[i] = real[i]! * real[i]! + imaginary[i]! * imaginary[i]!;
  // First and last are neighbors.
  for (let i = 0; i < AREA; i += 1) {
    const row = i & -SIDE;
    imaginary[i] = real[i]! + real[row | wrap(i - 1)]! + real[row | wrap(i + 1)]!;
  }
  for (let i = 0; i < AREA; i += 1) {
    const sum = imaginary[i]! + imaginary[(i - SIDE) & (AREA - 1)]! + imaginary[(i + SIDE) & (AREA - 1)]!;
    real[i] = sum / 9 + FLOOR;
  }
  for (let i = 0; i < AREA; i += 1) {
    const power = real[i]!;
    const opposite = real[mirrorIndex(i)]!;
    sums[i] = sums[i]! + (power - opposite) / (power + opposite);
  }
}

function findMost(sums: Float32Array): number {
  let most = 0;
  for (let i = 0; i < AREA; i += 1) {
    const frequency = Math.hypot(toSigned(i % SIDE), toSigned(Math.floor(i / SIDE)));
    if (frequency >= SLOWEST) most = Math.max(most, sums[i]! * Math.min(1, frequency / FULL_WEIGHT));
  }
  return most;
}

function mirrorIndex(i: number): number {
  return (-(i & -SIDE) & (AREA - 1)) | wrap(-i);
}

function toSigned(place: number): number {
  return place < SIDE / 2 ? place : place - SIDE;
}

function wrap(place: number): number {
  return place & (SIDE - 1);
}

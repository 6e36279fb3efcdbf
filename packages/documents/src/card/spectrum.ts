// How much of a picture repeats at which frequency along its rows or columns: a screen's grid shows up as a peak.
import type { Picture } from '../image/gray.ts';

/** Pixels of one piece of a row, and so twice the number of frequencies. */
export const PIECE = 128;

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What is looked at, as weights of red, green and blue. */
export type Mix = readonly [number, number, number];

const COSINES = Float32Array.from({ length: PIECE }, (_, i) => Math.cos((2 * Math.PI * i) / PIECE));
const WINDOW = Float32Array.from({ length: PIECE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / PIECE));

/**
 * Power per frequency, in cycles per PIECE, as the median over pieces spread evenly over the box: print and portraits
 * repeat here and there, a grid everywhere. Null where no piece fits in.
 */
export function measureSpectrum(picture: Picture, box: Box, mix: Mix, standing: boolean): Float32Array | null {
  const { width, data } = picture;
  const [alongFrom, alongTo] = standing ? [box.top, box.bottom] : [box.left, box.right];
  const [acrossFrom, acrossTo] = standing ? [box.left, box.right] : [box.top, box.bottom];
  const columns = Math.min(6, Math.floor((alongTo - alongFrom) / PIECE));
  const rows = Math.min(24, acrossTo - acrossFrom);
  if (columns < 1 || rows < 4) return null;
  const step = standing ? width * 4 : 4;
  const powers: Float32Array[] = [];
  const values = new Float32Array(PIECE);
  for (let column = 0; column < columns; column += 1) {
    const along = Math.round(alongFrom + ((alongTo - alongFrom - PIECE) * (column + 0.5)) / columns);
    for (let row = 0; row < rows; row += 1) {
      const across = Math.floor(acrossFrom + ((acrossTo - acrossFrom) * (row + 0.5)) / rows);
      let at = (standing ? along * width + across : across * width + along) * 4;
      let mean = 0;
      for (let i = 0; i < PIECE; i += 1, at += step) {
        const value = data[at]! * mix[0] + data[at + 1]! * mix[1] + data[at + 2]! * mix[2];
        values[i] = value;
        mean += value / PIECE;
      }
      for (let i = 0; i < PIECE; i += 1) values[i] = (values[i]! - mean) * WINDOW[i]!;
      powers.push(powersOf(values));
    }
  }
  return medianOf(powers);
}

function powersOf(values: Float32Array): Float32Array {
  const powers = new Float32Array(PIECE / 2);
  for (let frequency = 1; frequency < PIECE / 2; frequency += 1) {
    let [real, imaginary] = [0, 0];
    for (let i = 0, turn = 0; i < PIECE; i += 1, turn = (turn + frequency) & (PIECE - 1)) {
      real += values[i]! * COSINES[turn]!;
      imaginary += values[i]! * COSINES[(turn + PIECE / 4) & (PIECE - 1)]!;
    }
    powers[frequency] = (real * real + imaginary * imaginary) / PIECE;
  }
  return powers;
}

function medianOf(powers: readonly Float32Array[]): Float32Array {
  const own = new Float32Array(powers.length);
  return Float32Array.from({ length: PIECE / 2 }, (_, frequency) => {
    for (let i = 0; i < powers.length; i += 1) own[i] = powers[i]![frequency]!;
    return own.sort()[own.length >> 1]!;
  });
}

// The two-dimensional Fourier transform of small squares of complex numbers, in place.

/** A side of the square. A power of two. */
export const SIDE = 32;
export const AREA = SIDE * SIDE;

const COSINES = Float32Array.from({ length: SIDE / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / SIDE));
const SINES = Float32Array.from({ length: SIDE / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / SIDE));
/** Where each value of a line goes before the first step: its number in binary, read backwards. */
const ORDER = Uint8Array.from({ length: SIDE }, (_, i) => {
  let turned = 0;
  for (let bit = 1, rest = i; bit < SIDE; bit *= 2, rest >>= 1) turned = turned * 2 + (rest & 1);
  return turned;
});

/** Frequency (x, y), in cycles per side, comes out at y * SIDE + x; negative ones are SIDE less. */
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
    // Outside, because one turn serves several pairs.
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

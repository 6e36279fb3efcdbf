// Patterns finer than a camera's pixels, such as screens and fine print, as sampled by the sensor.

/** Center and size of light or ink within a period, as shares of it. */
export interface Patch {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Blur of a sensor pixel in millimeters: its width, and the deviation of the optics. */
export interface Spread {
  readonly pixel: number;
  readonly optics: number;
}

/** Factor on the light of a channel, at millimeters from the document's center. */
export type FinePattern = (x: number, y: number, channel: number) => number;

/** One period, sampled. */
export type Cell = Float32Array;

const STEPS = 128;
/** Finer waves are lost in any lens. */
const HARMONICS = 12;

/** `base` everywhere, plus `gain` on the patches. */
export function blurCell(patches: readonly Patch[], base: number, gain: number, period: number, spread: Spread): Cell {
  const cell = new Float32Array(STEPS * STEPS).fill(base);
  for (const { x, y, width, height } of patches) {
    const across = blurBar(x, width, period, spread);
    const down = blurBar(y, height, period, spread);
    for (let row = 0; row < STEPS; row += 1)
      for (let column = 0; column < STEPS; column += 1)
        cell[row * STEPS + column]! += gain * across[column]! * down[row]!;
  }
  return cell;
}

/** Sums the Fourier series of a repeating bar. Blur attenuates each wave by its frequency. */
function blurBar(middle: number, width: number, period: number, { pixel, optics }: Spread): Float32Array {
  return Float32Array.from({ length: STEPS }, (_, step) => {
    let value = width;
    for (let wave = 1; wave <= HARMONICS; wave += 1) {
      const frequency = wave / period;
      const kept = sinc(frequency * pixel) * Math.exp(-2 * (Math.PI * optics * frequency) ** 2);
      value += 2 * width * sinc(wave * width) * kept * Math.cos(2 * Math.PI * wave * ((step + 0.5) / STEPS - middle));
    }
    return value;
  });
}

function sinc(value: number): number {
  return value === 0 ? 1 : Math.sin(Math.PI * value) / (Math.PI * value);
}

/** Positions are in periods. */
export function lookUp(cell: Cell, u: number, v: number): number {
  return cell[(((v - Math.floor(v)) * STEPS) | 0) * STEPS + (((u - Math.floor(u)) * STEPS) | 0)]!;
}

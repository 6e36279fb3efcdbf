// Patterns finer than a camera's pixels, a screen's stripes or lines of print, as each pixel of the sensor sees them.

/** Where light comes from, or ink lies, within one period: middle and size, as parts of it. */
export interface Patch {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a pixel of the sensor blurs, in millimetres of the document: its own width, and the deviation of the optics. */
export interface Spread {
  readonly pixel: number;
  readonly optics: number;
}

/** A factor on the light (not on levels) of one colour at a place, in millimetres from the document's centre. */
export type FinePattern = (x: number, y: number, channel: number) => number;

/** One period, sampled. */
export type Cell = Float32Array;

const STEPS = 128;
/** Finer waves are lost in any lens. */
const HARMONICS = 12;

/** `base` everywhere, and `gain` more on the patches. */
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

/** A bar that repeats, as a Fourier series: the width of a pixel and the blur of a lens each weaken a wave by its frequency. */
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

/** Places are given in periods. */
export function lookUp(cell: Cell, u: number, v: number): number {
  return cell[(((v - Math.floor(v)) * STEPS) | 0) * STEPS + (((u - Math.floor(u)) * STEPS) | 0)]!;
}

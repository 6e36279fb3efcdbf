// Pictures that a formula makes, the same on every machine, to compare models on.

/** Red, green, blue of one pixel; all arithmetic is on whole numbers. */
type Formula = (x: number, y: number, side: number) => [number, number, number];

/** Up and down between 0 and 255. */
function triangle(position: number): number {
  const phase = ((position % 510) + 510) % 510;
  return phase < 256 ? phase : 510 - phase;
}

function isInside(x: number, y: number, side: number, [cx, cy, rx, ry]: readonly number[]): boolean {
  // In thousandths of the side, so that every size shows the same picture.
  const dx = Math.trunc((x * 1000) / side) - cx!;
  const dy = Math.trunc((y * 1000) / side) - cy!;
  return dx * dx * ry! * ry! + dy * dy * rx! * rx! < rx! * rx! * ry! * ry!;
}

export const FORMULAS: ReadonlyMap<string, Formula> = new Map<string, Formula>([
  ['ramp', (x, y, side) => [Math.trunc((x * 255) / side), Math.trunc((y * 255) / side), 128]],
  ['waves', (x, y) => [triangle(x * 9 + y * 2), triangle(x * x + y * 5), triangle(y * 11 - x * 3)]],
  ['noise', (x, y) => noiseAt(x, y)],
  [
    'face',
    (x, y, side) => {
      if (isInside(x, y, side, [340, 420, 70, 30]) || isInside(x, y, side, [660, 420, 70, 30])) return [40, 30, 28];
      if (isInside(x, y, side, [500, 750, 140, 40])) return [150, 70, 70];
      if (isInside(x, y, side, [500, 590, 45, 90])) return [200, 150, 125];
      if (isInside(x, y, side, [500, 520, 330, 430])) return [215 - Math.trunc((x * 40) / side), 170, 140];
      return [60, 90, 120];
    },
  ],
  ['dark', (x, y) => noiseAt(x, y).map((value) => value >> 3) as [number, number, number]],
]);

function noiseAt(x: number, y: number): [number, number, number] {
  let state = (x * 73_856_093) ^ (y * 19_349_663);
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 24;
  };
  next();
  return [next(), next(), next()];
}

/** As a model takes it: planes of one channel after the other, (value − mean) ÷ scale. */
export function renderPlanes(
  formula: Formula,
  input: { width: number; channels: string; mean: readonly number[]; scale: number },
): Float32Array {
  const side = input.width;
  const planes = new Float32Array(3 * side * side);
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1) {
      const rgb = formula(x, y, side);
      for (let channel = 0; channel < 3; channel += 1) {
        const value = input.channels === 'bgr' ? rgb[2 - channel]! : rgb[channel]!;
        planes[(channel * side + y) * side + x] = (value - input.mean[channel]!) / input.scale;
      }
    }
  return planes;
}

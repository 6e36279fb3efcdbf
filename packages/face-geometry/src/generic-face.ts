// A generic 3D face: positions of the 51 inner landmarks, in units of the distance between the
// eyes. x and y are symmetrized medians of our landmarks on 64 frontal portraits; z is set by hand.

/** The person's right half and the middle, from landmark 17 on; z toward the viewer. */
const MIDDLE_AND_RIGHT: ReadonlyMap<number, readonly [number, number, number]> = new Map([
  // brow
  [17, [-0.94, -0.19, -0.22]],
  [18, [-0.8, -0.325, 0]],
  [19, [-0.59, -0.355, 0.13]],
  [20, [-0.38, -0.315, 0.21]],
  [21, [-0.18, -0.235, 0.26]],
  // nose
  [27, [0, -0.015, 0.22]],
  [28, [0, 0.185, 0.37]],
  [29, [0, 0.39, 0.52]],
  [30, [0, 0.59, 0.65]],
  [31, [-0.25, 0.685, 0.27]],
  [32, [-0.13, 0.725, 0.37]],
  [33, [0, 0.765, 0.41]],
  // eye
  [36, [-0.695, -0.005, -0.11]],
  [37, [-0.57, -0.06, 0.03]],
  [38, [-0.425, -0.055, 0.07]],
  [39, [-0.295, 0.03, 0.02]],
  [40, [-0.435, 0.045, 0.06]],
  [41, [-0.58, 0.04, 0.01]],
  // lips, outside and inside
  [48, [-0.495, 0.985, 0.11]],
  [49, [-0.305, 0.95, 0.3]],
  [50, [-0.13, 0.935, 0.41]],
  [51, [0, 0.965, 0.44]],
  [57, [0, 1.28, 0.38]],
  [58, [-0.14, 1.26, 0.36]],
  [59, [-0.315, 1.175, 0.26]],
  [60, [-0.425, 1, 0.13]],
  [61, [-0.13, 1.015, 0.36]],
  [62, [0, 1.035, 0.39]],
  [66, [0, 1.135, 0.38]],
  [67, [-0.135, 1.115, 0.35]],
]);

/** Pairs of mirrored landmarks. */
const LEFT_TO_RIGHT: ReadonlyMap<number, number> = new Map([
  ...pairUp([22, 23, 24, 25, 26], [21, 20, 19, 18, 17]),
  ...pairUp([34, 35], [32, 31]),
  ...pairUp([42, 43, 44, 45, 46, 47], [39, 38, 37, 36, 41, 40]),
  ...pairUp([52, 53, 54, 55, 56], [50, 49, 48, 59, 58]),
  ...pairUp([63, 64, 65], [61, 60, 67]),
]);

/** x, y and z of each of the 51 landmarks. */
export const GENERIC_FACE: Float64Array = Float64Array.from(
  Array.from({ length: 51 }, (_, i) => placeLandmark(i + 17)).flat(),
);

/** Front view: only x and y. */
export const GENERIC_FRONT: Float64Array = GENERIC_FACE.filter((_, i) => i % 3 !== 2);

function placeLandmark(number: number): readonly [number, number, number] {
  const mirrored = LEFT_TO_RIGHT.get(number);
  const [x, y, z] = MIDDLE_AND_RIGHT.get(mirrored ?? number)!;
  return [mirrored === undefined ? x : -x, y, z];
}

function pairUp(numbers: readonly number[], others: readonly number[]): [number, number][] {
  return numbers.map((number, i) => [number, others[i]!]);
}

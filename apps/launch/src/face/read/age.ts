// Age of a face by two models, on the crop and its mirror image, and a lower bound.

import {
  type Affine,
  type Box,
  boundPoints,
  computeMedian,
  type Frame,
  mapOntoBox,
  mirrorFirst,
  type Points,
  readPixels,
  resizeAround,
  type Sampling,
} from '@limen/face-geometry';
import { AGE_BOUND, type AgeBound } from '@limen/plan';
import { type FaceModels, getInput, type ModelRole, runSingleOutput } from './models.ts';

export interface AgeEstimate {
  age: number;
  /** Years. Compared with a threshold. */
  lowerBound: number;
}

export interface AgeReadings {
  /** Results of the small model on the crop and its mirror image. */
  small: number;
  smallMirrored: number;
  /** Probabilities of the deep model for each year, averaged over the crop and its mirror image. */
  years: ArrayLike<number>;
}

const YEARS = 100;
/** Total padding of the landmarks' box. */
const SMALL_PADDING = 0.2;
const DEEP_MARGIN = 1.3;

export async function readAge(models: FaceModels, frame: Frame, face: Box, landmarks: Points): Promise<AgeReadings> {
  const [small, smallMirrored] = await runBothWays(models, 'age_small', frame, cropForSmall(landmarks), 1);
  const [deep, deepMirrored] = await runBothWays(models, 'age_deep', frame, cropForDeep(face), YEARS);
  return {
    small: small[0]!,
    smallMirrored: smallMirrored[0]!,
    years: deep.map((share, year) => (share + deepMirrored[year]!) / 2),
  };
}

export function estimateAge({ small, smallMirrored, years }: AgeReadings, bound: AgeBound = AGE_BOUND): AgeEstimate {
  let [mean, square] = [0, 0];
  for (let year = 0; year < years.length; year += 1) {
    mean += year * years[year]!;
    square += year ** 2 * years[year]!;
  }
  const spread = Math.sqrt(Math.max(square - mean ** 2, 0));
  const age = ((small + smallMirrored) / 2 + mean) / 2;
  const doubt = bound.spread * spread + bound.mirror * Math.abs(small - smallMirrored);
  return { age, lowerBound: age - doubt - bound.years };
}

/** Takes the median over frames, so that one bad frame changes nothing. Returns null for none. */
export function combineAges(estimates: readonly AgeEstimate[]): AgeEstimate | null {
  if (estimates.length === 0) return null;
  return {
    age: computeMedian(estimates.map(({ age }) => age)),
    lowerBound: computeMedian(estimates.map(({ lowerBound }) => lowerBound)),
  };
}

interface Crop {
  square: Box;
  beyond: Sampling['beyond'];
  within?: Box;
}

/** Crops the padded box of the landmarks, in the middle of a black square. */
function cropForSmall(landmarks: Points): Crop {
  const tight = boundPoints(landmarks);
  const box = resizeAround(tight, tight.width * (1 + SMALL_PADDING), tight.height * (1 + SMALL_PADDING));
  return { square: resizeAround(box, Math.max(box.width, box.height)), beyond: 'black', within: box };
}

function cropForDeep(face: Box): Crop {
  return { square: resizeAround(face, DEEP_MARGIN * Math.max(face.width, face.height)), beyond: 'edge' };
}

async function runBothWays(
  models: FaceModels,
  role: ModelRole,
  frame: Frame,
  { square, ...crop }: Crop,
  length: number,
): Promise<[Float32Array, Float32Array]> {
  const input = getInput(models, role);
  const plain = mapOntoBox(square, input.width, input.height);
  const run = (from: Affine) => runSingleOutput(models, role, readPixels(frame, input, { ...crop, from }), length);
  return [await run(plain), await run(mirrorFirst(plain, input.width))];
}

// Separates a head from a flat object and a painted picture by the distribution of the screen's
// light.
import { dot } from '@limen/face-geometry';
import { removeDisturbances } from './fit-response.ts';
import { judgeSides, type Place } from './judge-sides.ts';
import type { Series } from './read-series.ts';

/**
 * Screen and room light a head from different directions, so the screen's share varies between
 * places. A sheet faces one way, and a tint is the same everywhere. An uneven tint follows the
 * picture below it, not a screen in front of the face.
 */
export interface Shape {
  looks: 'head' | 'flat' | 'painted' | 'unknown';
  /** Relative variation of the places' responses, and the part of it that is noise. */
  spread: number;
  noise: number;
  /** Log-likelihood ratio of a screen over paint; null if the sides were not visible. */
  sides: number | null;
}

/** Simulated heads vary by 0.13 or more; sheets and even tints by 0.04 or less. */
const LEAST_SPREAD = 0.08;
const HEAD_SPREAD = 0.13;
const MOST_NOISE = 0.08;
const LEAST_PLACES = 6;
/** Variation that exceeds the noise by this factor is real and must be a head's. */
const CLEARLY = 2.5;
const CLEAR_SPREAD = 0.25;
/** Paint explains the sides clearly better. Marks do too, so this never means unlit. */
const PAINTED = -1;

/** `fitted`: response of the whole face. */
export function judgeShape(series: Series, fitted: Float64Array): Shape {
  const places = readPlaces(series, fitted);
  const found = places.filter((place) => place !== null);
  if (found.length < LEAST_PLACES) return { looks: 'unknown', spread: 0, noise: 1, sides: null };
  const mean = found.reduce((sum, { share }) => sum + share, 0) / found.length;
  const spread =
    Math.sqrt(found.reduce((sum, { share }) => sum + (share - mean) ** 2, 0) / found.length) / Math.abs(mean);
  const noise = Math.sqrt(found.reduce((sum, place) => sum + place.noise ** 2, 0) / found.length);
  const beyondNoise = Math.sqrt(Math.max(spread ** 2 - noise ** 2, 0));
  const sides = judgeSides(places);
  return { looks: nameShape(beyondNoise, noise, sides), spread, noise, sides };
}

function readPlaces({ patches, levels, disturbances }: Series, fitted: Float64Array): (Place | null)[] {
  const strength = dot(fitted, fitted);
  return patches.map((values, i) => {
    if (!values || strength === 0) return null;
    const changes = removeDisturbances(disturbances, values);
    const share = dot(changes, fitted) / strength;
    const rest = changes.map((change, j) => change - share * fitted[j]!);
    // Two of three channels are independent.
    return { share, noise: Math.sqrt(dot(rest, rest) / ((rest.length * 2) / 3) / strength), level: levels[i]! };
  });
}

function nameShape(beyondNoise: number, noise: number, sides: number | null): Shape['looks'] {
  if (noise <= MOST_NOISE && beyondNoise < LEAST_SPREAD) return 'flat';
  if (sides === null) return 'unknown';
  if (sides <= PAINTED) return 'painted';
  const isUneven =
    noise <= MOST_NOISE ? beyondNoise >= HEAD_SPREAD : beyondNoise >= Math.max(CLEAR_SPREAD, CLEARLY * noise);
  return isUneven ? 'head' : 'unknown';
}

// Tells a head from a flat thing and from a painted picture by how the screen's light lies on it beside the room's own.
import { dot } from '@limen/face-geometry';
import { removeDisturbances } from './fit-response.ts';
import { judgeSides, type Place } from './judge-sides.ts';
import type { Series } from './read-series.ts';

/**
 * Screen and room light a head from different sides, so that the screen's share of the light differs from place to place
 * with the way each of them looks. A sheet looks one way, and a tint over a picture is everywhere the same. A tint that is
 * not goes with the picture below it, and not with a screen before the face.
 */
export interface Shape {
  looks: 'head' | 'flat' | 'painted' | 'unknown';
  /** How far the places are from answering alike, as a share of their answer, and how much of that is noise. */
  spread: number;
  noise: number;
  /** How much likelier a screen before the face is than paint over a picture, by its two sides; null where they were not seen. */
  sides: number | null;
}

/** Simulated heads spread by 0.13 and more, sheets and even tints by 0.04 and less; a colour laid over a face lies between as a rule. */
const LEAST_SPREAD = 0.08;
const HEAD_SPREAD = 0.13;
const MOST_NOISE = 0.08;
const LEAST_PLACES = 6;
/** Spread that is so many times the noise is there, however large the noise; then it must be a head's without doubt. */
const CLEARLY = 2.5;
const CLEAR_SPREAD = 0.25;
/** Paint explains the sides so much better. It may be a mark on one side, or a screen far to the side: nobody is called unlit by it. */
const PAINTED = -1;

/** `fitted`: what the face as a whole answered. */
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
    // Of three channels two are free.
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

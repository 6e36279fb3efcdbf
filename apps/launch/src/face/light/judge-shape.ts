// Tells a head from a flat thing by how the screen's light lies on it beside the room's own.
import { dot } from '../maths/solve.ts';
import { removeDisturbances } from './fit-response.ts';
import type { Series } from './read-series.ts';

/**
 * Screen and room light a head from different sides, so that the screen's share of the light differs from place to place
 * with the way each of them looks. A sheet looks one way, and a tint over a picture is everywhere the same.
 */
export interface Shape {
  looks: 'head' | 'flat' | 'unknown';
  /** How far the places are from answering alike, as a share of their answer, and how much of that is noise. */
  spread: number;
  noise: number;
}

/** Simulated heads spread by 0.14 and more, sheets and tints by 0.04 and less. */
const LEAST_SPREAD = 0.08;
const MOST_NOISE = 0.08;
const LEAST_PLACES = 6;
/** Spread that is so many times the noise is there, however large the noise; then it must be a head's without doubt. */
const CLEARLY = 2.5;
const CLEAR_SPREAD = 0.25;

/** `fitted`: what the face as a whole answered. */
export function judgeShape(series: Series, fitted: Float64Array): Shape {
  const strength = dot(fitted, fitted);
  const found = series.patches.flatMap((values) => {
    if (!values || strength === 0) return [];
    const changes = removeDisturbances(series.disturbances, values);
    const share = dot(changes, fitted) / strength;
    const rest = changes.map((change, i) => change - share * fitted[i]!);
    // Of three channels two are free.
    return [{ share, noise: dot(rest, rest) / ((rest.length * 2) / 3) / strength }];
  });
  if (found.length < LEAST_PLACES) return { looks: 'unknown', spread: 0, noise: 1 };
  const mean = found.reduce((sum, { share }) => sum + share, 0) / found.length;
  const spread =
    Math.sqrt(found.reduce((sum, { share }) => sum + (share - mean) ** 2, 0) / found.length) / Math.abs(mean);
  const noise = Math.sqrt(found.reduce((sum, place) => sum + place.noise, 0) / found.length);
  const beyondNoise = Math.sqrt(Math.max(spread ** 2 - noise ** 2, 0));
  return { looks: nameShape(beyondNoise, noise), spread, noise };
}

function nameShape(beyondNoise: number, noise: number): Shape['looks'] {
  if (noise <= MOST_NOISE) return beyondNoise < LEAST_SPREAD ? 'flat' : 'head';
  return beyondNoise >= Math.max(CLEAR_SPREAD, CLEARLY * noise) ? 'head' : 'unknown';
}

// The colours of the light challenge as a screen shows them, and how much of each the screen gives off at any moment.
import type { LightColour } from '@limen/plan';

export type Rgb = readonly [red: number, green: number, blue: number];

/**
 * Never pure: a red with so much of the others is no saturated red for WCAG 2.3.1, and whoever is sensitive to colours that
 * change is spared the strongest ones. The low level is what the rule leaves: red is 0.79 of the whole, 0.8 is the limit.
 */
const [LOW, HIGH] = [101, 255];
export const SCREEN_COLOURS: Readonly<Record<LightColour, Rgb>> = {
  red: [HIGH, LOW, LOW],
  yellow: [HIGH, HIGH, LOW],
  green: [LOW, HIGH, LOW],
  cyan: [LOW, HIGH, HIGH],
  blue: [LOW, LOW, HIGH],
  magenta: [HIGH, LOW, HIGH],
};

export function toCss(colour: LightColour): string {
  return `rgb(${SCREEN_COLOURS[colour].join(' ')})`;
}

/** From one colour to the next: soft, so that nothing flashes. */
export const FADE_MS = 120;

/** A colour, and when it was wholly there. */
export interface ShownColour {
  colour: LightColour;
  at: number;
}

const LINEAR = Float64Array.from({ length: 256 }, (_, value) => linearise(value / 255));

function linearise(share: number): number {
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Of a value from 0 to 255, which cameras and screens write down by the sRGB curve: its share of the light. */
export function toLight(value: number): number {
  const low = Math.floor(value);
  if (low >= 255) return 1;
  return LINEAR[low]! + (value - low) * (LINEAR[low + 1]! - LINEAR[low]!);
}

/** What the screen gives off, by channel, 0 to 1. Before the first colour it is that one, after the last the last. */
export function emissionAt(shown: readonly ShownColour[], time: number): Rgb {
  let next = 0;
  while (next < shown.length && shown[next]!.at <= time) next += 1;
  const to = SCREEN_COLOURS[shown[Math.min(next, shown.length - 1)]!.colour];
  const from = SCREEN_COLOURS[shown[Math.max(next - 1, 0)]!.colour];
  const share = next < shown.length ? Math.min(Math.max(1 - (shown[next]!.at - time) / FADE_MS, 0), 1) : 1;
  const mix = (c: 0 | 1 | 2) => toLight(from[c] + share * (to[c] - from[c]));
  return [mix(0), mix(1), mix(2)];
}

// Colors of the light challenge on a screen, and the light that the screen emits at any moment.
import type { LightColor } from '@limen/plan';

export type Rgb = readonly [red: number, green: number, blue: number];

/**
 * Never pure: this much of the other channels avoids a saturated red under WCAG 2.3.1 and the
 * strongest contrasts. The low level is near the rule's limit: red is 0.79 of the total, 0.8 is the
 * limit.
 */
const [LOW, HIGH] = [101, 255];
export const SCREEN_COLORS: Readonly<Record<LightColor, Rgb>> = {
  red: [HIGH, LOW, LOW],
  yellow: [HIGH, HIGH, LOW],
  green: [LOW, HIGH, LOW],
  cyan: [LOW, HIGH, HIGH],
  blue: [LOW, LOW, HIGH],
  magenta: [HIGH, LOW, HIGH],
};

export function toCss(color: LightColor): string {
  return `rgb(${SCREEN_COLORS[color].join(' ')})`;
}

/** Duration of the transition between colors, soft enough not to flash. */
export const FADE_MS = 120;

/** A color, and the time at which it reached full intensity. */
export interface ShownColor {
  colour: LightColor;
  at: number;
}

const LINEAR = Float64Array.from({ length: 256 }, (_, value) => linearize(value / 255));

function linearize(share: number): number {
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Converts an sRGB value from 0 to 255 to its share of the light. */
export function toLight(value: number): number {
  const low = Math.floor(value);
  if (low >= 255) return 1;
  return LINEAR[low]! + (value - low) * (LINEAR[low + 1]! - LINEAR[low]!);
}

/** Returns the emitted light per channel, 0 to 1, at any time before or after the colors. */
export function emissionAt(shown: readonly ShownColor[], time: number): Rgb {
  let next = 0;
  while (next < shown.length && shown[next]!.at <= time) next += 1;
  const to = SCREEN_COLORS[shown[Math.min(next, shown.length - 1)]!.colour];
  const from = SCREEN_COLORS[shown[Math.max(next - 1, 0)]!.colour];
  const share = next < shown.length ? Math.min(Math.max(1 - (shown[next]!.at - time) / FADE_MS, 0), 1) : 1;
  const mix = (c: 0 | 1 | 2) => toLight(from[c] + share * (to[c] - from[c]));
  return [mix(0), mix(1), mix(2)];
}

import { LIGHT_COLORS, LIGHT_MS, LIGHT_MS_SPREAD } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { emissionAt, FADE_MS, SCREEN_COLORS, toLight } from './colours.ts';

const computeLight = (color: (typeof LIGHT_COLORS)[number]) => SCREEN_COLORS[color].map(toLight);

describe('WCAG 2.3.1', () => {
  test('has fewer than three flashes a second, each of two changes', () => {
    expect(1000 / (LIGHT_MS - LIGHT_MS_SPREAD) / 2).toBeLessThan(3);
  });

  test('has no saturated red', () => {
    for (const color of LIGHT_COLORS) {
      const [red, green, blue] = computeLight(color) as [number, number, number];
      expect(red / (red + green + blue)).toBeLessThan(0.8);
    }
  });

  test('keeps black text readable on all colors', () => {
    for (const color of LIGHT_COLORS) {
      const [red, green, blue] = computeLight(color) as [number, number, number];
      expect((0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) / 0.05).toBeGreaterThan(4.5);
    }
  });
});

describe('emissionAt', () => {
  const shown = [
    { colour: 'red', at: 1_000 },
    { colour: 'cyan', at: 1_450 },
  ] as const;

  test('returns a color from its full intensity until the next fade', () => {
    for (const time of [0, 1_000, 1_450 - FADE_MS]) expect(emissionAt(shown, time)).toEqual(computeLight('red'));
    for (const time of [1_450, 9_000]) expect(emissionAt(shown, time)).toEqual(computeLight('cyan'));
  });

  test('returns a mix of two colors during a fade', () => {
    const [red, green] = emissionAt(shown, 1_450 - FADE_MS / 2);
    for (const share of [red, green]) {
      expect(share).toBeGreaterThan(computeLight('cyan')[0]!);
      expect(share).toBeLessThan(1);
    }
  });
});

// Random draws for a face: movements, colors and timing of the light, and the camera request.
import { LIGHT_COLORS, MOVEMENTS } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { drawFace } from './draw-plan.ts';

const draws = Array.from({ length: 75 }, () => drawFace({ light: 'optional' }));
const attempts = draws.flatMap(({ light }) => light?.attempts ?? []);

describe('movements', () => {
  it.each([1, 2, 3, 4])('are %i different ones on request', (count) => {
    const { challenges } = drawFace({ movements: { count }, light: undefined });
    expect(new Set(challenges).size).toBe(count);
    expect(challenges.every((movement) => MOVEMENTS.includes(movement))).toBe(true);
  });

  it.each([0, -1, 5, Number.NaN])('are never %d, because a picture would pass without any', (count) => {
    expect(() => drawFace({ movements: { count }, light: undefined })).toThrow(RangeError);
  });

  it('are three within fifteen seconds each by default', () => {
    expect(drawFace({ light: undefined })).toMatchObject({ challengeMs: 15_000 });
    expect(drawFace({ light: undefined }).challenges).toHaveLength(3);
    expect(drawFace({ movements: { ms: 900 }, light: undefined }).challengeMs).toBe(900);
  });
});

describe('light', () => {
  it('has two rounds of six colors, at least four different ones each, and no equal neighbors', () => {
    for (const { colours: colors, again } of attempts) {
      for (const round of [colors, again]) {
        expect(round).toHaveLength(6);
        expect(new Set(round).size).toBeGreaterThanOrEqual(4);
      }
      const all = [...colors, ...again];
      expect(all.some((color, at) => color === all[at + 1])).toBe(false);
    }
  });

  it('starts with any color, and shows each for 400 to 500 milliseconds in steps of ten', () => {
    const firsts = new Set(attempts.map(({ colours: colors }) => colors[0]));
    expect([...firsts].sort()).toEqual([...LIGHT_COLORS].sort());
    const times = new Set(attempts.map(({ colourMs: colorMs }) => colorMs));
    expect([...times].sort()).toEqual(Array.from({ length: 11 }, (_, step) => 400 + 10 * step));
  });

  it('is drawn for four attempts, almost never alike', () => {
    expect(draws.every(({ light }) => light?.attempts.length === 4)).toBe(true);
    const sequences = new Set(attempts.flatMap(({ colours: colors, again }) => [colors.join(), again.join()]));
    expect(sequences.size).toBeGreaterThan(540);
  });

  it('is required if the session says so, and omitted if not requested', () => {
    expect(drawFace({ light: 'required' }).light?.required).toBe(true);
    expect(drawFace({ light: 'optional' }).light?.required).toBe(false);
    expect(drawFace({ light: undefined })).not.toHaveProperty('light');
  });
});

it('requests the camera after any movement but the last', () => {
  expect(new Set(draws.map(({ cameraRequest }) => cameraRequest?.after))).toEqual(new Set([0, 1]));
});

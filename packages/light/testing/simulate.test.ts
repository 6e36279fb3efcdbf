// The benchmark of the light challenge, which must be as difficult as real rooms and cameras.
import { LIGHT_LENGTH } from '@limen/plan';
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, test } from 'vitest';
import { judgeLight } from '../src/judge-light.ts';
import { drawRoom } from './room.ts';
import { playAndJudge, playLight, type Species } from './simulate.ts';

const SEEDS = Array.from({ length: onlyWhenLong(12, 1) }, (_, seed) => seed + 1);

const PAINTED = ['injected_overlay', 'injected_face_tinted'] as const;

function choose(species: Species, seed: number, ambientLux = 60) {
  const room = drawRoom({ ambientLux, framesPerSecond: 10, distance: 0.4, screen: 'phone' }, seed);
  return { room, species, tone: seed % 6, seed };
}

const find = (species: Species, seed: number, ambientLux?: number) =>
  playAndJudge(choose(species, seed, ambientLux)).finding;

describe('a simulated light challenge', () => {
  test.each(SEEDS)('finds a person lit as drawn: %i', (seed) => {
    expect(find('person', seed)).toBe('lit');
  });

  test.each(SEEDS)('does not find an ignorant animation lit: %i', (seed) => {
    expect(find('injected', seed)).toBe('not_lit');
  });

  test.runIf(IS_LONG).each(SEEDS)('does not find a painted animation lit in the first round: %i', (seed) => {
    for (const painted of PAINTED) {
      const { shown, samples } = playLight({ ...choose(painted, seed), onlyFirst: true });
      expect(judgeLight(samples, shown.slice(0, LIGHT_LENGTH)).finding).not.toBe('lit');
    }
  });

  test.runIf(IS_LONG).each(SEEDS)('finds no one lit in daylight: %i', (seed) => {
    expect(find('person', seed, 100_000)).not.toBe('lit');
  });
});

test('renders frames like a camera: with noise, 8-bit steps and clipping', () => {
  const { room, ...rest } = choose('person', SEEDS[0]!);
  const greens = playLight({ room, ...rest, onlyFirst: true }).samples.map(({ skin }) => skin[1]!);
  expect(Math.min(...greens)).toBeGreaterThan(0);
  expect(Math.max(...greens)).toBeLessThan(1);
  expect(new Set(greens).size).toBe(greens.length);
  expect(room.screenLux / room.ambientLux).toBeLessThan(1);
});

// The simulation is what the light challenge is measured by: it must be hard in the ways in which rooms and cameras are.
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

describe('in the light of a phone', () => {
  test.each(SEEDS)('a person is lit as drawn: %i', (seed) => {
    expect(find('person', seed)).toBe('lit');
  });

  test.each(SEEDS)('an animation that knows nothing of it is not: %i', (seed) => {
    expect(find('injected', seed)).toBe('not_lit');
  });

  test.runIf(IS_LONG).each(SEEDS)('nor, by the first round, is one that is painted: %i', (seed) => {
    for (const painted of PAINTED) {
      const { shown, samples } = playLight({ ...choose(painted, seed), onlyFirst: true });
      expect(judgeLight(samples, shown.slice(0, LIGHT_LENGTH)).finding).not.toBe('lit');
    }
  });

  test.runIf(IS_LONG).each(SEEDS)('in daylight the screen is not seen on anybody: %i', (seed) => {
    expect(find('person', seed, 100_000)).not.toBe('lit');
  });
});

test('a frame holds what a camera would tell: noise, steps of eight bits, and no more light than there is', () => {
  const { room, ...rest } = choose('person', SEEDS[0]!);
  const greens = playLight({ room, ...rest, onlyFirst: true }).samples.map(({ skin }) => skin[1]!);
  expect(Math.min(...greens)).toBeGreaterThan(0);
  expect(Math.max(...greens)).toBeLessThan(1);
  expect(new Set(greens).size).toBe(greens.length);
  expect(room.screenLux / room.ambientLux).toBeLessThan(1);
});

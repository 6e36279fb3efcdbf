import { describe, expect, test } from 'vitest';
import { createPresence } from './presence.ts';

function watch(presence: ReturnType<typeof createPresence>, ...seen: readonly [people: number, timeMs: number][]) {
  return seen.filter(([people, time]) => presence.isInterrupted(people, time)).map(([, time]) => time);
}

describe('createPresence', () => {
  test.each([0, 2, 3])('allows a person to be lost for a moment only: %i faces', (people) => {
    expect(watch(createPresence(), [1, 0], [people, 100], [people, 1_000], [1, 1_001], [people, 1_900])).toEqual([]);
    expect(watch(createPresence(), [1, 0], [people, 100], [people, 1_001])).toEqual([1_001]);
  });

  test('reports a loss once until the person is back', () => {
    const seen = [1, 0, 0, 0, 2, 1, 0, 0].map((people, i): [number, number] => [people, i * 600]);
    expect(watch(createPresence(), ...seen)).toEqual([1_200, 4_200]);
  });

  test('reports no loss for a single frame, however long it took', () => {
    expect(watch(createPresence(), [1, 0], [0, 3_000], [1, 3_100])).toEqual([]);
  });

  test('reports no loss before the person was seen, or after a pause', () => {
    const presence = createPresence();
    expect(watch(presence, [0, 0], [0, 5_000], [1, 6_000])).toEqual([]);
    presence.clear();
    expect(watch(presence, [0, 7_000], [0, 9_000])).toEqual([]);
  });
});

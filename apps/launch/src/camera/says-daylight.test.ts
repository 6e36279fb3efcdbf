import { expect, test } from 'vitest';
import { saysDaylight } from './says-daylight.ts';

const streamOf = (settings: object) => ({
  getVideoTracks: () => [{ getSettings: () => settings } as unknown as MediaStreamTrack],
});

test.each([
  ['the sun, as a phone exposes it', { exposureTime: 5, iso: 50 }, true],
  ['the shade outdoors', { exposureTime: 40, iso: 50 }, true],
  ['a window beside somebody', { exposureTime: 100, iso: 50 }, false],
  ['a bright office', { exposureTime: 200, iso: 100 }, false],
  ['a dim room', { exposureTime: 333, iso: 800 }, false],
])('by its exposure, %s', (_, settings, isDaylight) => {
  expect(saysDaylight(streamOf(settings))).toBe(isDaylight);
});

test.each([
  ['says nothing', {}],
  ['says half of it', { exposureTime: 5 }],
  ['says what cannot be', { exposureTime: 0, iso: 50 }],
  ['says it in words', { exposureTime: '5', iso: '50' }],
])('a camera that %s does not tell of daylight', (_, settings) => {
  expect(saysDaylight(streamOf(settings))).toBe(false);
});

test('a stream that throws or has no track does not either', () => {
  const throwing = {
    getVideoTracks: () => {
      throw new Error('gone');
    },
  };
  expect([saysDaylight(throwing), saysDaylight({ getVideoTracks: () => [] })]).toEqual([false, false]);
});

import { expect, test } from 'vitest';
import { isInDaylight } from './says-daylight.ts';

const createStream = (settings: object) => ({
  getVideoTracks: () => [{ getSettings: () => settings } as unknown as MediaStreamTrack],
});

test.each([
  ['the sun, as a phone exposes it', { exposureTime: 5, iso: 50 }, true],
  ['the shade outdoors', { exposureTime: 40, iso: 50 }, true],
  ['a window next to the person', { exposureTime: 100, iso: 50 }, false],
  ['a bright office', { exposureTime: 200, iso: 100 }, false],
  ['a dim room', { exposureTime: 333, iso: 800 }, false],
])('detects daylight by the exposure: %s', (_, settings, isDaylight) => {
  expect(isInDaylight(createStream(settings))).toBe(isDaylight);
});

test.each([
  ['says nothing', {}],
  ['reports only the exposure time', { exposureTime: 5 }],
  ['reports an impossible value', { exposureTime: 0, iso: 50 }],
  ['reports strings', { exposureTime: '5', iso: '50' }],
])('detects no daylight if the camera %s', (_, settings) => {
  expect(isInDaylight(createStream(settings))).toBe(false);
});

test('detects no daylight if the stream throws or has no track', () => {
  const throwing = {
    getVideoTracks: () => {
      throw new Error('gone');
    },
  };
  expect([isInDaylight(throwing), isInDaylight({ getVideoTracks: () => [] })]).toEqual([false, false]);
});

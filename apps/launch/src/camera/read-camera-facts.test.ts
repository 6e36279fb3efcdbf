import { expect, it } from 'vitest';
import { readCameraFacts } from './read-camera-facts.ts';

const createStream = (settings: object | undefined) =>
  ({ getVideoTracks: () => (settings ? [{ getSettings: () => settings }] : []) }) as never;

it('reads size, rate and screen orientation', () => {
  const settings = { width: 1280, height: 720, frameRate: 29.97, deviceId: 'abc', facingMode: 'user' };
  expect(readCameraFacts(createStream(settings), 'portrait-primary')).toEqual({
    width: 1280,
    height: 720,
    rate: 30,
    orientation: 'portrait-primary',
  });
});

it('leaves out unknown facts', () => {
  expect(readCameraFacts(createStream(undefined), undefined)).toEqual({});
  expect(readCameraFacts(createStream({ width: 0, height: 1e9, frameRate: Number.NaN }), 'sideways')).toEqual({});
});

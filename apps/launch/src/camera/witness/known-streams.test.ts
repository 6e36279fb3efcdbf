import { CAMERA_SIGN_NAMES, type CameraSign } from '@limen/plan';
import { expect, test } from 'vitest';
import { type CameraFixture, HONEST_CAMERAS, INJECTED_STREAMS } from '../../../testing/camera-fixtures.ts';
import { hasStandingClock } from './camera-witness.ts';
import { hasOddTiming } from './frame-timing.ts';
import { hasMismatch } from './settings-mismatch.ts';

function judge({ track, marks, light }: CameraFixture): CameraSign[] {
  const seen: Partial<Record<CameraSign, boolean>> = {
    frame_timing: hasOddTiming(marks),
    settings_mismatch: hasMismatch(track, marks, light),
    standing_clock: hasStandingClock(marks),
  };
  return CAMERA_SIGN_NAMES.filter((name) => seen[name]);
}

test.each(Object.entries(HONEST_CAMERAS))('raises no sign for %s', (_name, fixture) => {
  expect(judge(fixture)).toEqual([]);
});

test.each(Object.entries(INJECTED_STREAMS))('raises the expected signs for %s', (_name, fixture) => {
  expect(judge(fixture)).toEqual(fixture.raises);
});

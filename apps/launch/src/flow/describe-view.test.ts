import type { DeviceView } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { describeEnd, describeProgress, timeLeftMs, toMinutes } from './describe-view.ts';

type End = NonNullable<DeviceView['end']>;

describe('the end', () => {
  test.each<[End['flowStatus'], number[], string]>([
    ['COMPLETED', [], 'done'],
    ['COMPLETED', [1], 'unlikely'],
    ['COMPLETED', [-9], 'other_face'],
    ['CANCELLED', [], 'cancelled'],
    ['CANCELLED', [-5], 'cancelled'],
    ['CANCELLED', [-7], 'cancelled'],
    ['CANCELLED', [-10], 'cancelled'],
    ['CANCELLED', [-11], 'cancelled'],
    ['CANCELLED', [-20], 'cancelled'],
    ['CANCELLED', [-22], 'cancelled'],
    ['CANCELLED', [-23], 'cancelled'],
    ['CANCELLED', [1], 'unlikely'],
    ['CANCELLED', [-15], 'failed'],
    ['CANCELLED', [-16], 'failed'],
    ['CANCELLED', [-7, -15], 'failed'],
    ['EXPIRED', [-8], 'expired'],
    ['EXPIRED', [], 'expired'],
  ])('%s with %j is %s', (flowStatus, errors, how) => {
    expect(describeEnd({ flowStatus, errors })).toEqual({ name: 'end', how, redirectUrl: null });
  });

  test('says what only this page knows: that it gave up, or that the service refused what it sent', () => {
    const end: End = { flowStatus: 'CANCELLED', errors: [-23] };
    expect(describeEnd(end, 'unread').how).toBe('unread');
    expect(describeEnd(end, 'refused').how).toBe('failed');
    expect(describeEnd({ flowStatus: 'EXPIRED', errors: [-8] }, 'unread').how).toBe('expired');
  });

  test('leads where the host wants the person', () => {
    const end: End = { flowStatus: 'COMPLETED', errors: [], redirectUrl: 'https://shop.example/' };
    expect(describeEnd(end).redirectUrl).toBe('https://shop.example/');
  });
});

test('time is counted by the clock of the service alone', () => {
  const view = { expiresAt: '2030-01-01T00:10:00.000Z', serverTime: '2030-01-01T00:00:30.000Z' };
  expect(timeLeftMs(view)).toBe(570_000);
});

test.each([
  [600_000, 10],
  [600_001, 11],
  [60_000, 1],
  [1, 1],
  [0, 1],
  [-90_000, 1],
])('%i ms are told as %i minutes', (ms, minutes) => expect(toMinutes(ms)).toBe(minutes));

test.each<[Partial<DeviceView>, string]>([
  [{ role: 'active', state: 'opened' }, 'waiting'],
  [{ role: 'active', state: 'capturing', progress: { step: 0, challengesDone: 0 } }, 'waiting'],
  [{ role: 'follower', state: 'opened' }, 'opened'],
  [{ role: 'follower', state: 'opened', progress: { step: 0, challengesDone: 1 } }, 'opened'],
  [{ role: 'follower', state: 'capturing' }, 'opened'],
  [{ role: 'follower', state: 'capturing', progress: { step: 0, challengesDone: 1 } }, 'face'],
  [{ role: 'follower', state: 'capturing', progress: { step: 1, challengesDone: 0 } }, 'identity_document'],
])('the other device at %o is told as %s', (view, followed) => {
  expect(describeProgress(view as DeviceView, ['face'])).toBe(followed);
});

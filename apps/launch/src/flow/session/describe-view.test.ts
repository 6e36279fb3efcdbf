import type { DeviceView } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { ASKS } from '../../../testing/fakes/fake-device-client.ts';
import type { Asks } from '../../course/screens.ts';
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
    expect(describeEnd({ flowStatus, errors }, 'AGE')).toEqual({ name: 'end', how, redirectUrl: null });
  });

  test.each<[Asks['operation'], End['flowStatus'], number[], string]>([
    ['ENROLL', 'COMPLETED', [], 'enrolled'],
    ['SIGN-IN', 'COMPLETED', [], 'signed_in'],
    ['VERIFY', 'COMPLETED', [], 'verified'],
    ['SIGN-IN', 'COMPLETED', [1], 'unlikely'],
    ['ENROLL', 'COMPLETED', [-9], 'other_face'],
    ['ENROLL', 'COMPLETED', [152], 'failed'],
    ['SIGN-IN', 'COMPLETED', [153], 'not_recognized'],
    ['VERIFY', 'COMPLETED', [153], 'not_recognized'],
    ['SIGN-IN', 'COMPLETED', [154], 'passkey_refused'],
    ['ENROLL', 'CANCELLED', [], 'cancelled_enrolment'],
    ['SIGN-IN', 'CANCELLED', [-7], 'cancelled_sign_in'],
    ['VERIFY', 'CANCELLED', [], 'cancelled_sign_in'],
    ['VERIFY', 'EXPIRED', [-8], 'expired'],
  ])('of %s, %s with %j is %s', (operation, flowStatus, errors, how) => {
    expect(describeEnd({ flowStatus, errors }, operation).how).toBe(how);
  });

  test('shows what only this page knows: that it gave up or its answer was refused', () => {
    const end: End = { flowStatus: 'CANCELLED', errors: [-23] };
    expect(describeEnd(end, 'AGE', 'unread').how).toBe('unread');
    expect(describeEnd(end, 'AGE', 'refused').how).toBe('failed');
    expect(describeEnd({ flowStatus: 'EXPIRED', errors: [-8] }, 'AGE', 'unread').how).toBe('expired');
  });

  test('distinguishes too many tries from an unknown face, unless the session expired first', () => {
    const known = { minutesLeft: 60 };
    const how = 'throttled';
    for (const code of [152, 153])
      expect(describeEnd({ flowStatus: 'COMPLETED', errors: [code] }, 'SIGN-IN', known)).toMatchObject({
        how,
        ...known,
      });
    expect(describeEnd({ flowStatus: 'EXPIRED', errors: [-8] }, 'SIGN-IN', known).how).toBe('expired');
  });

  test('leads to the host’s redirect URL', () => {
    const end: End = { flowStatus: 'COMPLETED', errors: [], redirectUrl: 'https://shop.example/' };
    expect(describeEnd(end, 'AGE').redirectUrl).toBe('https://shop.example/');
  });
});

test('computes the time left by the server’s clock alone', () => {
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
])('shows %i ms as %i minutes', (ms, minutes) => expect(toMinutes(ms)).toBe(minutes));

test.each<[Partial<DeviceView>, string]>([
  [{ role: 'active', state: 'opened' }, 'waiting'],
  [{ role: 'active', state: 'capturing', progress: { step: 0, challengesDone: 0 } }, 'waiting'],
  [{ role: 'follower', state: 'opened' }, 'opened'],
  [{ role: 'follower', state: 'opened', progress: { step: 0, challengesDone: 1 } }, 'opened'],
  [{ role: 'follower', state: 'capturing' }, 'opened'],
  [{ role: 'follower', state: 'capturing', progress: { step: 0, challengesDone: 1 } }, 'face'],
  [{ role: 'follower', state: 'capturing', progress: { step: 1, challengesDone: 0 } }, 'identity_document'],
])('shows the other device at %o as %s', (view, followed) => {
  expect(describeProgress({ ...view, asks: ASKS } as DeviceView)).toBe(followed);
});

test.each<[Partial<Asks>, string[]]>([
  [{ operation: 'ENROLL', steps: ['face'] }, ['face', 'token']],
  [
    { operation: 'ENROLL', steps: ['face', 'identity_document', 'contact', 'passkey'] },
    ['face', 'identity_document', 'token', 'contact', 'passkey'],
  ],
  [{ operation: 'SIGN-IN', steps: ['face', 'passkey'] }, ['face', 'passkey', 'token']],
  [{ operation: 'VERIFY', steps: ['face'] }, ['face', 'token']],
])('counts the comparison as a step, although the person does nothing: %o', (asks, followed) => {
  const at = (step: number) =>
    describeProgress({
      role: 'follower',
      state: 'capturing',
      progress: { step, challengesDone: 0 },
      asks: { ...ASKS, ...asks },
    } as DeviceView);
  expect(followed.map((_, step) => at(step))).toEqual(followed);
});

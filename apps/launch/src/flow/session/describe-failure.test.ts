import { LimenConnectionError, LimenError } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { CameraError, type CameraObstacle } from '../../camera/open-camera.ts';
import type { Problem } from '../../course/screens.ts';
import { type LoadErrorCode, ModelLoadError } from '../../models/face-engine.ts';
import { StepProblem } from '../../steps/step-problem.ts';
import { ClaimRefusedError, describeFailure } from './describe-failure.ts';

const refusal = (status: number, code: string) => new LimenError('refused', { status, code });
const problem = (name: Problem, canRetry = true) => ({
  name: 'problem',
  problem: name,
  canRetry,
  canUsePhone: true,
});

test.each(['elsewhere', 'third_device', 'old_code'] as const)('stops the page after a refused claim: %s', (why) => {
  expect(describeFailure(new ClaimRefusedError(why), true)).toEqual({ name: 'stopped', why });
});

test.each<CameraObstacle>(['refused', 'missing', 'busy', 'insecure'])('asks for the camera again: %s', (obstacle) => {
  expect(describeFailure(new CameraError(obstacle), true)).toEqual({ name: 'permission', state: obstacle });
});

test.each<Problem>(['dark', 'faces', 'scan', 'unplugged', 'unexpected', 'models'])(
  'allows a retry of a failed step: %s',
  (name) => expect(describeFailure(new StepProblem(name), true)).toEqual(problem(name)),
);

test.each([
  ['document', { giveUp: -23, known: 'unread' }],
  ['enrolment', { giveUp: 152, known: 'failed' }],
  ['recognition', { giveUp: 153 }],
  ['passkey', { giveUp: 154 }],
] as const)('gives up with a code after the last try failed: %s', (straw, failure) => {
  expect(describeFailure(new StepProblem(straw, { isFinal: true }), true)).toEqual(failure);
});

test('reports when the next try is possible if it is after the session', () => {
  const failure = describeFailure(new StepProblem('enrolment', { isFinal: true, waitMs: 90_000 }), true);
  expect(failure).toEqual({ giveUp: 152, known: { minutesLeft: 2 } });
});

test.each<[LoadErrorCode, Problem, boolean]>([
  ['offline', 'models', true],
  ['unready', 'models', true],
  ['unstarted', 'models', true],
  ['mismatch', 'broken', true],
  ['failed', 'broken', true],
  ['unsupported', 'unsupported', false],
])('maps the load error %s to the problem %s', (code, name, canRetry) => {
  expect(describeFailure(new ModelLoadError(code), true)).toEqual(problem(name, canRetry));
});

test('offers no retry after a final problem', () => {
  expect(describeFailure(new StepProblem('scan', { isFinal: true }), true)).toEqual(problem('scan', false));
});

describe('a reply of the service', () => {
  test('is a refusal if the answer was refused', () => {
    expect(describeFailure(refusal(422, 'answer_refused'), false)).toBe('refused');
  });

  test('is final if no more codes are available', () => {
    expect(describeFailure(refusal(403, 'forbidden'), false)).toMatchObject({ problem: 'unexpected', canRetry: false });
  });

  test.each([
    new LimenConnectionError('connection_failed', 'no', undefined),
    new LimenConnectionError('timeout', 'late', undefined),
    refusal(429, 'too_many_requests'),
    refusal(503, 'unavailable'),
  ])('offers a retry after a transient error: %s', (error) =>
    expect(describeFailure(error, true)).toEqual(problem('models')),
  );

  test('shows that faces cannot be compared now', () => {
    expect(describeFailure(refusal(503, 'keyholder_unavailable'), true)).toEqual(problem('unavailable'));
  });

  test.each(['store_full', 'disk_full'])('shows a lack of room without offering another device: %s', (code) => {
    const full = { ...problem('full'), canUsePhone: false };
    expect(describeFailure(refusal(507, code), true)).toEqual(full);
  });

  test('shows the end if there is no such session', () => {
    expect(describeFailure(refusal(404, 'not_found'), true)).toEqual({
      name: 'end',
      how: 'not_found',
      redirectUrl: null,
    });
  });

  test('claims again after a conflict with another tab', () => {
    expect(describeFailure(refusal(409, 'log_conflict'), true)).toBe('claim_again');
  });

  test.each([
    [400, 'validation_failed'],
    [400, 'malformed_request'],
    [401, 'invalid_signature'],
    [403, 'device_mismatch'],
    [409, 'stale_counter'],
    [409, 'session_ended'],
    [409, 'payload_replayed'],
    [413, 'payload_too_large'],
    [415, 'unsupported_media_type'],
    [500, 'internal_error'],
    [200, 'invalid_reply'],
  ])('fetches the view after another refusal: %i %s', (status, code) => {
    expect(describeFailure(refusal(status, code), true)).toBe('look_again');
  });
});

test.each([new Error('The face worker stopped'), new TypeError('no'), undefined, 'text', Symbol('s')])(
  'treats anything else as unexpected and allows a retry: %s',
  (error) => {
    expect(describeFailure(error, true)).toEqual(problem('unexpected'));
    expect(describeFailure(error, false)).toEqual({ ...problem('unexpected'), canUsePhone: false });
  },
);

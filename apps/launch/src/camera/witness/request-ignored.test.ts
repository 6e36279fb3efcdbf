import { describe, expect, test } from 'vitest';
import { type CameraAnswer, chooseRate, isRequestIgnored, measurePace } from './request-ignored.ts';

const QUICK = { rate: 30, frames: 21, spanMs: 700 };
const SLOW = { rate: 15, frames: 10, spanMs: 670 };
const CHANGED: CameraAnswer = {
  reply: 'agreed',
  isNative: true,
  askedRate: 15,
  reportedRate: 15,
  before: QUICK,
  after: SLOW,
};

describe('an honest answer', () => {
  test.each<[string, Partial<CameraAnswer>]>([
    ['the camera changes its rate', {}],
    ['it drops every other frame, unevenly', { after: { rate: 19, frames: 13, spanMs: 680 } }],
    ['it restarts and shows nothing for a while', { after: { rate: 0, frames: 0, spanMs: 0 } }],
    ['it reports that it lacks the rate', { reportedRate: 30, after: QUICK }],
    ['the browser does not report the rate', { reportedRate: undefined, after: QUICK }],
    ['it is slow to answer', { reply: 'pending', after: QUICK }],
    ['it refuses because it lacks the rate', { reply: { refused: 'OverconstrainedError' }, after: QUICK }],
    ['the browser does not support it', { reply: { refused: 'NotSupportedError' }, after: QUICK }],
    ['it was taken away', { reply: { refused: 'InvalidStateError' }, after: QUICK }],
    ['the page receives too few frames', { after: { rate: 30, frames: 6, spanMs: 200 } }],
    ['it was slow before the request too', { before: SLOW, after: SLOW }],
  ])('%s', (_name, answer) => {
    expect(isRequestIgnored({ ...CHANGED, ...answer })).toBe(false);
  });
});

describe('an answer that no camera gives', () => {
  test.each<[string, Partial<CameraAnswer>]>([
    ['it agrees, reports the rate, and changes nothing', { after: QUICK }],
    ['it refuses with an error that browsers do not use', { reply: { refused: 'Error' } }],
    ['it refuses without an error', { reply: { refused: '' } }],
    ['a script replaces the native function', { isNative: false }],
  ])('%s', (_name, answer) => {
    expect(isRequestIgnored({ ...CHANGED, ...answer })).toBe(true);
  });
});

test('requests half of the rate, at least ten frames a second, and never more than the current rate', () => {
  expect([60, 30, 29.97, 24, 15, 13, 10, 6, undefined].map(chooseRate)).toEqual([
    30,
    15,
    15,
    12,
    10,
    null,
    null,
    null,
    null,
  ]);
});

test('counts missed frames in the pace', () => {
  const mark = { presentedAt: null, capturedAt: null, mediaMs: null, width: 640, height: 480 };
  const marks = [
    { ...mark, readAt: 900, count: 1 },
    { ...mark, readAt: 1_000, count: 4 },
    { ...mark, readAt: 1_200, count: 10 },
    { ...mark, readAt: 1_500, count: 19 },
    { ...mark, readAt: 1_600, count: 22 },
  ];
  expect(measurePace(marks, 1_000, 1_500)).toEqual({ rate: 30, frames: 15, spanMs: 500 });
  expect(measurePace(marks, 1_550, 1_700).rate).toBe(0);
});

import { describe, expect, test } from 'vitest';
import { type CameraAnswer, chooseRate, isRequestIgnored, measurePace } from './request-ignored.ts';

const QUICK = { rate: 30, frames: 21, spanMs: 700 };
const SLOW = { rate: 15, frames: 10, spanMs: 670 };
const CHANGED: CameraAnswer = {
  reply: 'agreed',
  isNative: true,
  askedRate: 15,
  toldRate: 15,
  before: QUICK,
  after: SLOW,
};

describe('an honest answer', () => {
  test.each<[string, Partial<CameraAnswer>]>([
    ['the camera changes its rate', {}],
    ['it leaves out every other frame, not quite evenly', { after: { rate: 19, frames: 13, spanMs: 680 } }],
    ['it starts anew and shows nothing for a while', { after: { rate: 0, frames: 0, spanMs: 0 } }],
    ['it has no such rate and says so', { toldRate: 30, after: QUICK }],
    ['the browser does not say which rate it has', { toldRate: undefined, after: QUICK }],
    ['it takes its time', { reply: 'pending', after: QUICK }],
    ['it has no such rate and refuses', { reply: { refused: 'OverconstrainedError' }, after: QUICK }],
    ['the browser cannot do it', { reply: { refused: 'NotSupportedError' }, after: QUICK }],
    ['it was taken away', { reply: { refused: 'InvalidStateError' }, after: QUICK }],
    ['the page hears of too few frames to tell', { after: { rate: 30, frames: 6, spanMs: 200 } }],
    ['it was too dark for more frames before, too', { before: SLOW, after: SLOW }],
  ])('%s', (_name, answer) => {
    expect(isRequestIgnored({ ...CHANGED, ...answer })).toBe(false);
  });
});

describe('no answer of a camera', () => {
  test.each<[string, Partial<CameraAnswer>]>([
    ['it agrees, says so, and nothing changes', { after: QUICK }],
    ['it refuses with an error that browsers do not have for it', { reply: { refused: 'Error' } }],
    ['it refuses without an error', { reply: { refused: '' } }],
    ['a program answers in the place of the browser', { isNative: false }],
  ])('%s', (_name, answer) => {
    expect(isRequestIgnored({ ...CHANGED, ...answer })).toBe(true);
  });
});

test('half of the rate is asked for, but ten frames a second at least, and never more than there are', () => {
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

test('the pace counts frames that the page was not told of', () => {
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

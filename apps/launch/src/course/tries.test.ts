import type { LogEntry } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { DOCUMENT_STEP } from '../../testing/fakes/fake-documents.ts';
import { FACE_STEP } from '../../testing/fakes/fake-flow.ts';
import { countFailedTries, hasFailedTry } from './tries.ts';

/** Parses text such as `started 0, finished 0`. */
function parseLog(text: string): LogEntry[] {
  return text.split(', ').map((entry, at) => {
    const [event, index] = entry.split(' ');
    return [event as LogEntry[0], Number(index), at];
  });
}

describe('countFailedTries', () => {
  test.each<[string, number, number]>([
    ['started 0', 0, 0],
    ['started 0, retried 0, retried 0', 0, 2],
    ['started 0, finished 0, started 1, retried 1', 1, 1],
    ['started 0, finished 0, started 1, retried 1, retried 0, finished 0, started 1, retried 1', 1, 2],
    ['started 0, retried 0, finished 0, started 1, retried 0', 0, 1],
    ['started 0, finished 0, retried 0', 0, 0],
    ['started 0, retried 0, finished 0, started 1', 1, 0],
  ])('reads from "%s" the failed tries of step %i: %i', (text, step, failed) => {
    expect(countFailedTries(parseLog(text), step)).toBe(failed);
  });
});

test.each<[string, boolean]>([
  ['started 0', false],
  ['started 0, retried 0', false],
  ['started 0, finished 0, started 1', false],
  ['started 0, finished 0, started 1, retried 1', true],
  ['started 0, finished 0, started 1, retried 1, finished 1', false],
  ['started 0, finished 0, started 1, retried 1, retried 0', false],
  ['started 0, finished 0, started 1, retried 1, retried 0, finished 0, started 1', true],
])('reads from "%s" whether the running step has a failed document try: %s', (text, failed) => {
  expect(hasFailedTry([FACE_STEP, DOCUMENT_STEP], parseLog(text))).toBe(failed);
});

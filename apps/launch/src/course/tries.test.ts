import type { LogEntry } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { DOCUMENT_STEP } from '../../testing/fakes/fake-documents.ts';
import { FACE_STEP } from '../../testing/fakes/fake-flow.ts';
import { countFailedTries, hasFailedTry } from './tries.ts';

/** As `started 0, finished 0`. */
function logOf(text: string): LogEntry[] {
  return text.split(', ').map((entry, at) => {
    const [event, index] = entry.split(' ');
    return [event as LogEntry[0], Number(index), at];
  });
}

describe('tries that failed', () => {
  test.each<[string, number, number]>([
    ['started 0', 0, 0],
    ['started 0, retried 0, retried 0', 0, 2],
    ['started 0, finished 0, started 1, retried 1', 1, 1],
    ['started 0, finished 0, started 1, retried 1, retried 0, finished 0, started 1, retried 1', 1, 2],
    ['started 0, retried 0, finished 0, started 1, retried 0', 0, 1],
    ['started 0, finished 0, retried 0', 0, 0],
    ['started 0, retried 0, finished 0, started 1', 1, 0],
  ])('after %s, of the step %i: %i', (text, step, failed) => {
    expect(countFailedTries(logOf(text), step)).toBe(failed);
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
])('after %s a document would not do in the step that runs: %s', (text, failed) => {
  expect(hasFailedTry([FACE_STEP, DOCUMENT_STEP], logOf(text))).toBe(failed);
});

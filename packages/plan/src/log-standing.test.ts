import { expect, test } from 'vitest';
import type { LogEntry } from './log.ts';
import { listBegunSteps, readStanding } from './walk-log.ts';

/** Parses text such as `started 0, finished 0`. */
function parseLog(text: string): LogEntry[] {
  return text.split(', ').map((entry, at) => {
    const [event, index] = entry.split(' ');
    return [event as LogEntry[0], Number(index), at];
  });
}

test.each<[string, object]>([
  ['started 0', { 0: 'running' }],
  ['started 0, shown 0, done 0, finished 0', { 0: 'finished' }],
  ['started 0, finished 0, started 1', { 0: 'finished', 1: 'running' }],
  ['started 0, finished 0, started 1, retried 1', { 0: 'finished', 1: 'running' }],
  ['started 0, finished 0, started 1, retried 0', { 0: 'running' }],
  ['started 0, finished 0, started 1, finished 1, retried 0, finished 0, started 1', { 0: 'finished', 1: 'running' }],
  ['started 1, retried 1', { 1: 'running' }],
])('reads from "%s" the steps %o', (text, standing) => {
  expect(Object.fromEntries(readStanding(parseLog(text)))).toEqual(standing);
});

test('counts an undone step as begun', () => {
  const log = parseLog('started 0, finished 0, started 1, retried 0');
  expect([listBegunSteps(log), listBegunSteps([])]).toEqual([[0, 1], []]);
  expect(listBegunSteps(parseLog('started 0, shown 1, done 1'))).toEqual([0]);
});

// A test that passed only when it was tried again is told by name, whatever the counts say.
import { expect, it } from 'vitest';
import { readResults } from './read-results.ts';

const test = (fullName: string, status: string, ...failureMessages: string[]) => ({
  ...{ fullName, status, failureMessages },
});

it('counts, and names those that passed at the second attempt with what they complained of', () => {
  const report = {
    ...{ numPassedTests: 2, numFailedTests: 1, numPendingTests: 1 },
    testResults: [
      {
        assertionResults: [test('a page opens', 'passed'), test('a page is slow', 'passed', 'Timeout\n    at x.ts:1')],
      },
      { assertionResults: [test('a page breaks', 'failed', 'Error'), test('a page rests', 'skipped')] },
    ],
  };
  expect(readResults(JSON.stringify(report))).toEqual({
    ...{ passed: 2, failed: 1, pending: 1 },
    atSecondAttempt: ['a page is slow (Timeout)'],
  });
});

it('does not take what is no report for one', () => {
  expect(() => readResults('{}')).toThrow();
  expect(() => readResults('')).toThrow();
});

// The counts of a run come from its report, and nothing else is taken for one.
import { expect, it } from 'vitest';
import { readResults } from './read-results.ts';

it('counts what passed, failed and was skipped', () => {
  const report = { numPassedTests: 2, numFailedTests: 1, numPendingTests: 3, success: false };
  expect(readResults(JSON.stringify(report))).toEqual({ passed: 2, failed: 1, pending: 3 });
});

it('does not take what is no report for one', () => {
  expect(() => readResults('{}')).toThrow();
  expect(() => readResults('')).toThrow();
});

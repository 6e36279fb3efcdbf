// A run's counts come from its report only.
import { expect, it } from 'vitest';
import { readResults } from './read-results.ts';

it('counts passed, failed and skipped tests', () => {
  const report = { numPassedTests: 2, numFailedTests: 1, numPendingTests: 3, success: false };
  expect(readResults(JSON.stringify(report))).toEqual({ passed: 2, failed: 1, pending: 3, lacking: [] });
});

it('lists each stated reason for skipping once, and not what ran', () => {
  const named = (status: string, why: string) => ({
    status,
    ancestorTitles: [`a disk (skipped: ${why})`],
    title: 'is full',
  });
  const assertionResults = [named('skipped', 'no mount'), named('pending', 'no mount'), named('passed', 'nothing')];
  const silent = { status: 'skipped', ancestorTitles: ['a server'], title: 'is away' };
  const counts = { numPassedTests: 1, numFailedTests: 0, numPendingTests: 3 };
  const report = { ...counts, testResults: [{ assertionResults: [...assertionResults, silent] }] };
  expect(readResults(JSON.stringify(report)).lacking).toEqual(['a disk (skipped: no mount)']);
});

it('rejects anything that is not a report', () => {
  expect(() => readResults('{}')).toThrow();
  expect(() => readResults('')).toThrow();
});

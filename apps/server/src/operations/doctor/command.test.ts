// The layout of the findings and their summary.
import { expect, it } from 'vitest';
import { printFindings, summarize } from './command.ts';
import type { NamedFinding } from './examine.ts';

const findings: NamedFinding[] = [
  { check: 'disk', level: 'ok', found: 'roomy' },
  { check: 'database', level: 'failure', found: 'broken', remedy: 'restore a backup' },
  { check: 'database', level: 'warning', found: 'old' },
];

it('marks each line, names a check once, and prints the remedy below the finding', () => {
  expect(printFindings(findings, (_, text) => text).split('\n')).toEqual([
    '✓ disk      roomy',
    '✗ database  broken',
    '            → restore a backup',
    '!           old',
  ]);
});

it('colors the mark by level', () => {
  const painted = printFindings(findings, (paint, text) => `<${paint}>${text}`);
  expect(painted.match(/<\w+>(?=[✓!✗])/g)).toEqual(['<green>', '<red>', '<yellow>']);
});

it('fails on a failure, not on a warning', () => {
  expect(summarize(findings)).toEqual({ failed: true, sentence: '1 problem, 1 warning.' });
  expect(summarize(findings.slice(0, 1))).toEqual({ failed: false, sentence: 'No problems.' });
  expect(summarize([findings[2]!, findings[2]!])).toEqual({ failed: false, sentence: 'No problems, 2 warnings.' });
});

// The doctor's findings as lines: a mark, the check, what was found, and how to put it right.

import { toPrintable } from '../../command-line/terminal/print-table.ts';
import type { Terminal } from '../../command-line/terminal/terminal.ts';
import type { DoctorFinding } from './checks/check.ts';

export type NamedFinding = { check: string } & DoctorFinding;

const MARKS = {
  ok: { mark: '✓', paint: 'green' },
  warning: { mark: '!', paint: 'yellow' },
  failure: { mark: '✗', paint: 'red' },
} as const;

export function printFindings(findings: readonly NamedFinding[], paint: Terminal['paint']): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(width + 4);
  return findings
    .flatMap(({ check, level, found, remedy }, index) => {
      const { mark, paint: colour } = MARKS[level];
      const name = findings[index - 1]?.check === check ? '' : check;
      const line = `${paint(colour, mark)} ${name.padEnd(width)}  ${toPrintable(found)}`;
      return remedy === undefined ? [line] : [line, paint('dim', `${indent}→ ${toPrintable(remedy)}`)];
    })
    .join('\n');
}

export function summarise(findings: readonly NamedFinding[]): { failed: boolean; sentence: string } {
  const count = (level: DoctorFinding['level']) => findings.filter((finding) => finding.level === level).length;
  const warnings = count('warning');
  const failures = count('failure');
  const parts = [
    failures > 0 ? `${failures} problem${failures === 1 ? '' : 's'}` : 'No problems',
    ...(warnings > 0 ? [`${warnings} warning${warnings === 1 ? '' : 's'}`] : []),
  ];
  return { failed: failures > 0, sentence: `${parts.join(', ')}.` };
}

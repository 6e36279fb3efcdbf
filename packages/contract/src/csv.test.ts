// Escaping of CSV cells that a spreadsheet would run as formulas.
import { expect, it } from 'vitest';
import { csvCell } from './csv.ts';

it.each([
  ['plain', '"plain"'],
  ['a;=1+1', '"a;=1+1"'],
  ['a\t=1+1', '"a\t=1+1"'],
  ['=1+1', '"\'=1+1"'],
  ['@x', '"\'@x"'],
  ['+1', '"\'+1"'],
  ['-1', '"\'-1"'],
  ['\t=1', '"\'\t=1"'],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['＝1+1', '"\'＝1+1"'],
  ['＋1', '"\'＋1"'],
  ['－1', '"\'－1"'],
  ['＠x', '"\'＠x"'],
  ['=1+1;=cmd|x!A0', '"\'=1+1;=cmd|x!A0"'],
  ['say "x", y', '"say ""x"", y"'],
  ['', '""'],
  [0.95, '0.95'],
])('writes %j as %s', (value, cell) => expect(csvCell(value)).toBe(cell));

// Alignment, wide characters, and cells that would corrupt the terminal.
import { describe, expect, it } from 'vitest';
import { displayWidth, printFields, printTable, printTime, toPrintable } from './print-table.ts';

describe('printTable', () => {
  it('aligns columns to their widest cell, without trailing spaces', () => {
    const columns = [{ heading: 'NAME' }, { heading: 'N', align: 'right' as const }, { heading: 'NOTE' }];
    const rows = [
      ['a', '1', 'first'],
      ['longer', '1000', ''],
    ];
    expect(printTable(columns, rows).split('\n')).toEqual([
      'NAME       N  NOTE',
      'a          1  first',
      'longer  1000',
    ]);
  });

  it('colors the padded cell, and chooses the color by the plain value', () => {
    const columns = [{ heading: 'A', paint: (text: string, value: string) => `<${text}|${value}>` }, { heading: 'B' }];
    expect(
      printTable(
        columns,
        [
          ['x', 'y'],
          ['long', 'z'],
        ],
        (text) => `[${text}]`,
      ),
    ).toBe('[A   ]  [B]\n<x   |x>  y\n<long|long>  z');
  });

  it('gives wide characters two columns', () => {
    const table = printTable(
      [{ heading: 'L' }, { heading: 'R' }],
      [
        ['日本', '1'],
        ['abcd', '2'],
      ],
    );
    expect(table).toBe('L     R\n日本  1\nabcd  2');
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('한')).toBe(2);
  });

  it('keeps a cell from redrawing the screen or breaking its line', () => {
    expect(printTable([{ heading: 'L' }], [['a\u001b[2Jb\nc\u202ed']])).toBe('L\na\ufffd[2Jb\ufffdc\ufffdd');
    expect(toPrintable('Grüße, العربية')).toBe('Grüße, العربية');
  });
});

it('aligns the values of printFields', () => {
  expect(
    printFields([
      ['a', '1'],
      ['long', '2'],
    ]),
  ).toBe('  a     1\n  long  2');
});

it('prints times in UTC to the second', () => {
  expect(printTime(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('2026-01-02T03:04:05Z');
});

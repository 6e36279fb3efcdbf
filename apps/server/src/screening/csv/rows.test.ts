// The CSV grammar: rows and cells of well-formed files, and the line of a syntax error.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { parse as parseWithCsvParse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvError, RowScanner, readCells } from './rows.ts';

const COMMA = 0x2c;
const RUNS = { numRuns: onlyWhenLong(20_000, 500) };

const bytesOf = (text: string) => new TextEncoder().encode(text);

function read(text: string, delimiter = ','): string[][] {
  const rows: string[][] = [];
  readCells(bytesOf(text), delimiter.charCodeAt(0), (cells) => rows.push(cells));
  return rows;
}

/** Returns the row ranges of bytes that arrive in pieces cut at the given positions. */
function rangesOf(bytes: Uint8Array, cuts: number[] = []): [number, number][] | string {
  const ranges: [number, number][] = [];
  const scanner = new RowScanner(COMMA, (start, end) => ranges.push([start, end]));
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  try {
    for (const [index, place] of places.entries()) scanner.scan(bytes.subarray(place, places[index + 1] ?? place));
    scanner.finish();
    return ranges;
  } catch (error) {
    if (error instanceof CsvError) return error.message;
    throw error;
  }
}

describe('rows and cells', () => {
  it.each([
    ['', []],
    ['a', [['a']]],
    [
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['\n\n  \na\n \t\n\r\n\r\rb\n', [['a'], ['b']]],
    [
      ',\n,,',
      [
        ['', ''],
        ['', '', ''],
      ],
    ],
    ['""\n"",""', [[''], ['', '']]],
    ['"a,b","c\nd","e""f"', [['a,b', 'c\nd', 'e"f']]],
    ['"""",""""""', [['"', '""']]],
    ['"a\r\nb"\r\nc', [['a\r\nb'], ['c']]],
    ['O"Brien,x"y"', [['O"Brien', 'x"y"']]],
    [' "a" , b ', [[' "a" ', ' b ']]],
    ['"a"\n"b"', [['a'], ['b']]],
    ['Zoë,李,😀', [['Zoë', '李', '😀']]],
  ])('parses %j', (text, rows) => {
    expect(read(text)).toEqual(rows);
  });

  it('accepts another delimiter', () => {
    expect(read('a;b,c\n"d;e";f', ';')).toEqual([
      ['a', 'b,c'],
      ['d;e', 'f'],
    ]);
    expect(read('a\tb c\n"d\te"\tf', '\t')).toEqual([
      ['a', 'b c'],
      ['d\te', 'f'],
    ]);
  });
});

describe('broken quoting names its line', () => {
  it.each([
    ['"abc', 1],
    ['a\nb\n"abc\ndef\nghi', 3],
    ['a,"b"c\n', 1],
    ['a\r\n\r\n"b"c', 3],
    ['a\rb\r"b" ,c', 3],
    ['"x\r\ny\nz"\n"b"c', 4],
  ])('in %j', (text, line) => {
    expect(() => read(text)).toThrow(CsvError);
    expect(() => read(text)).toThrow(new RegExp(`on line ${line}:`));
  });
});

describe('for any bytes', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .array(fc.constantFrom('"', ',', '\n', '\r', ' ', 'a', '""', 'é'), { maxLength: 60 })
      .map((p) => bytesOf(p.join(''))),
  );

  it('the parser throws only its own error, and pieces do not matter', () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat(), { maxLength: 5 }), (bytes, cuts) => {
        expect(rangesOf(bytes, cuts)).toEqual(rangesOf(bytes));
      }),
      RUNS,
    );
  });

  it('rows are in order, do not overlap, and give the same cells when parsed alone', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const ranges = rangesOf(bytes);
        if (typeof ranges === 'string') return;
        const all: string[][] = [];
        readCells(bytes, COMMA, (cells) => all.push(cells));
        const alone: string[][] = [];
        let before = 0;
        for (const [start, end] of ranges) {
          expect(start).toBeGreaterThanOrEqual(before);
          before = end;
          readCells(bytes.subarray(start, end), COMMA, (cells) => alone.push(cells));
        }
        expect(alone).toEqual(all);
      }),
      RUNS,
    );
  });

  it('agrees with csv-parse on well-formed files', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[",\n\r]/.test(text)),
      fc.array(fc.constantFrom('"', ',', '\n', '\r\n', ' ', 'x', 'ß'), { maxLength: 6 }).map((parts) => parts.join('')),
    );
    const write = (text: string, delimiter: string) =>
      /["\n\r]|^$/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom(',', ';', '\t'),
        fc.boolean(),
        (rows, lineEnd, delimiter, endsWithLine) => {
          const text = rows.map((row) => row.map((cell) => write(cell, delimiter)).join(delimiter)).join(lineEnd);
          const file = endsWithLine ? text + lineEnd : text;
          const options = {
            delimiter,
            relax_column_count: true,
            record_delimiter: ['\r\n', '\n'],
            skip_empty_lines: true,
          };
          expect(read(file, delimiter)).toEqual(rows);
          expect(parseWithCsvParse(file, options)).toEqual(rows);
        },
      ),
      RUNS,
    );
  });
});

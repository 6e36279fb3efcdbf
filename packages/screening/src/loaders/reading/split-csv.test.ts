// CSV records: quoting, recovery after broken quotes, limits.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvRecord, CsvSplitter } from './split-csv.ts';
import { splitLeniently } from './split-leniently.ts';

function splitText(text: string, options: { width?: number; maxLength?: number; delimiter?: string } = {}) {
  const problems: string[] = [];
  const records: CsvRecord[] = [];
  const splitter = new CsvSplitter({
    delimiter: ',',
    ...options,
    onRecord: (record) => records.push(record),
    onProblem: (line, reason, isLost) => problems.push(`${line}${isLost ? '' : ' kept'}: ${reason}`),
  });
  for (const line of text.split('\n')) splitter.feed(line === 'LONG' ? null : line);
  splitter.finish();
  return { rows: records.map(({ line, cells }) => [line, ...cells]), problems };
}

describe('the end of the text', () => {
  it.each([
    ['a,b\nc,"d', false, true],
    ['a,b\nc,"d', true, true],
    ['a,b\nc,"d\nthe cell goes on', false, true],
    ['a,b\nc', false, true],
    ['a,b\nc', true, false],
    ['a,b\nc,d', false, false],
    ['a,b\n"c\nd,e\nf,g', true, false], // a stray quote in an earlier line
    ['a,b\n \u001a', false, false],
    ['', false, false],
  ])('reports %j (last line terminated: %s) as truncated: %s', (text, endsLine, isCut) => {
    const splitter = new CsvSplitter({ delimiter: ',', width: 2, onRecord() {}, onProblem() {} });
    for (const line of text.split('\n')) splitter.feed(line);
    expect(splitter.finish(endsLine)).toBe(isCut);
  });
});

describe('CsvSplitter', () => {
  it.each([
    ['a,b', [[1, 'a', 'b']]],
    ['"a,b","c ""d"" e",', [[1, 'a,b', 'c "d" e', '']]],
    [
      'a,"b\n\nc",d\ne',
      [
        [1, 'a', 'b\n\nc', 'd'],
        [4, 'e'],
      ],
    ],
    ['"a" ,b', [[1, 'a', 'b']]],
    ['-0- ,5" pipe,x', [[1, '-0- ', '5" pipe', 'x']]],
    ['a\n\n,,\n \u001a', [[1, 'a']]],
    ['""\n"",x', [[2, '', 'x']]],
  ])('splits %j', (text, rows) => {
    expect(splitText(text)).toEqual({ rows, problems: [] });
  });

  it('continues with the next line after an unclosed quote', () => {
    expect(splitText('a,b\n"c,d\n"e","f"\ng,h', { width: 2 })).toEqual({
      rows: [
        [1, 'a', 'b'],
        [3, 'e', 'f'],
        [4, 'g', 'h'],
      ],
      problems: ['2: A quoted cell goes on after its closing quote.'],
    });
    expect(splitText('a,b\n"c\nd,e\nf,g', { width: 2 })).toEqual({
      rows: [
        [1, 'a', 'b'],
        [3, 'd', 'e'],
        [4, 'f', 'g'],
      ],
      problems: ['2: A quoted cell is not closed.'],
    });
  });

  it('does not merge two rows whose quotes close by chance', () => {
    expect(splitText('1,"x\n2,"\n3,y', { width: 2 }).rows).toEqual([
      [1, '1', 'x\n2,'],
      [3, '3', 'y'],
    ]);
    expect(splitText('1,x,"y\n2,"z","w"\n3,a,b', { width: 3 }).rows).toEqual([
      [1, '1', 'x', 'y'],
      [2, '2', 'z', 'w'],
      [3, '3', 'a', 'b'],
    ]);
  });

  it('repairs quotes inside a quoted cell if the number of cells shows how', () => {
    expect(splitText('"the "big" one","x"', { width: 2 })).toEqual({
      rows: [[1, 'the "big" one', 'x']],
      problems: ['1 kept: A quoted cell goes on after its closing quote.'],
    });
  });

  it('drops records that are too long, quoted or not, and keeps line numbers correct', () => {
    expect(splitText('LONG\na,"b\nLONG\nc,d', { width: 2 })).toEqual({
      rows: [
        [2, 'a', 'b'],
        [4, 'c', 'd'],
      ],
      problems: [
        '1: The line is too long to be a record.',
        '2 kept: A quoted cell is not closed.',
        '3: The line is too long to be a record.',
      ],
    });
    const long = splitText(`"${'x\n'.repeat(60)}a,b`, { width: 2, maxLength: 100 });
    expect(long.rows).toEqual([[61, 'a', 'b']]);
    expect(long.problems).toHaveLength(60);
  });

  it('takes linear time if every line breaks the previous one', () => {
    // Each line closes the previous line's quote and opens the next. Re-reading from each line
    // would take hours.
    const { problems } = splitText('x","y""\n'.repeat(50_000), { width: 1_000_000 });
    expect(problems.length).toBeLessThan(100);
    expect(problems.at(-1)).toContain('lines after it were left out');
  });

  it('returns what was written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', ' ', 'é') });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }),
        fc.constantFrom(',', ';'),
        (rows, delimiter) => {
          const wanted = rows.filter((cells) => cells.some((text) => text !== ''));
          const text = rows
            .map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(delimiter))
            .join('\n');
          const { rows: found, problems } = splitText(text, { width: 3, delimiter });
          expect(problems).toEqual([]);
          expect(found.map(([, ...cells]) => cells)).toEqual(wanted);
        },
      ),
    );
  });
});

describe('splitLeniently', () => {
  it.each([
    ['"a;b";c', ['a;b', 'c']],
    ['a;;"b ""c"""', ['a', '', 'b "c"']],
    ['"";"a"', ['', 'a']],
    ['"a', ['a']],
    ['"', ['']],
    ['', ['']],
    ['a;', ['a', '']],
  ])('splits %j', (text, cells) => {
    expect(splitLeniently(text, ';')).toEqual(cells);
  });
});

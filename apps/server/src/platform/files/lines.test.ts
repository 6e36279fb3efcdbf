// Lines are complete and numbered, however the stream is split.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './lines.ts';

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(text: string, size = 64, maxBytes = 1_000) {
  const lines: [number: number, text: string | undefined, end: number][] = [];
  for await (const { number, bytes, end } of readLines(inPieces(text, size), maxBytes))
    lines.push([number, bytes?.toString(), end]);
  return lines;
}

describe('readLines', () => {
  it('returns every non-empty line once, however the stream is split', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '𝄞', '\r', ' '), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), fc.boolean(), async (lines, size, ended) => {
        const text = lines.join('\n') + (ended ? '\n' : '');
        const all = text.split('\n');
        const last = all.length - 1;
        const numbered = all.map((content, index): [number, string, number] => {
          const before = all.slice(0, index + 1).join('\n');
          return [index + 1, content, Buffer.byteLength(before) + (index < last ? 1 : 0)];
        });
        const isEmpty = (content: string, number: number) => content === '' || (content === '\r' && number <= last);
        expect(await collect(text, size)).toEqual(numbered.filter(([number, content]) => !isEmpty(content, number)));
      }),
      { numRuns: 200 },
    );
  });

  it('skips a line that is too long and continues after it', async () => {
    const text = `${'x'.repeat(5)}\n${'y'.repeat(6)}\n${'z'.repeat(40)}\nend`;
    for (const size of [1, 4, 100]) {
      expect((await collect(text, size, 5)).map(([, line]) => line)).toEqual(['xxxxx', undefined, undefined, 'end']);
    }
    expect((await collect('end\nyyyyyy', 4, 5)).map(([, line]) => line)).toEqual(['end', undefined]);
  });
});

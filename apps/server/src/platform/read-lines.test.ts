// Lines come out whole and numbered, however the stream is cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(text: string, size = 64, maxBytes = 1_000) {
  const lines: (string | undefined)[] = [];
  let end = 0;
  for await (const line of readLines(inPieces(text, size), maxBytes)) {
    lines.push(line.bytes?.toString());
    expect(line.number).toBe(lines.length);
    end = line.end;
  }
  return { lines, end };
}

describe('readLines', () => {
  it('gives every line once, whatever the pieces are', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '𝄞', '\r', ' '), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), fc.boolean(), async (lines, size, ended) => {
        const text = lines.join('\n') + (ended ? '\n' : '');
        const expected = text.split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(await collect(text, size)).toEqual({ lines: expected, end: Buffer.byteLength(text) });
      }),
      { numRuns: 200 },
    );
  });

  it('leaves out what is too long and goes on behind it', async () => {
    const text = `${'x'.repeat(5)}\n${'y'.repeat(6)}\n${'z'.repeat(40)}\nend`;
    for (const size of [1, 4, 100]) {
      expect((await collect(text, size, 5)).lines).toEqual(['xxxxx', undefined, undefined, 'end']);
    }
    expect((await collect('end\nyyyyyy', 4, 5)).lines).toEqual(['end', undefined]);
  });
});

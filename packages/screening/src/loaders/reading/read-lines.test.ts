// Lines from chunks of any size.
import { describe, expect, it } from 'vitest';
import { collect, streamOf } from '../../../testing/lists/load-bytes.ts';
import { createLoadReport } from './load-report.ts';
import { readLines } from './read-lines.ts';

async function readAll(text: string, { chunkBytes = 100_000, maxBytes = 4_000_000 } = {}) {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / chunkBytes);
  const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes));
  const report = createLoadReport();
  const lines = (await collect(readLines(streamOf(chunks), report, maxBytes))).flat();
  return { lines, bytes: report.bytes };
}

describe('readLines', () => {
  it('accepts both line endings, a byte order mark and an unterminated last line', async () => {
    expect(await readAll('\ufeffa\r\n\nb\rc\n\ufeffd', { chunkBytes: 1 })).toEqual({
      lines: ['a', '', 'b\rc', '\ufeffd'],
      bytes: 15,
    });
    expect((await readAll('')).lines).toEqual([]);
    expect((await readAll('a\n')).lines).toEqual(['a']);
  });

  it.each([1_000, 65_536, 100_001, 2_000_000])(
    'joins a line from many blocks (chunks of %i bytes)',
    async (chunkBytes) => {
      const long = Array.from({ length: 100_000 }, (_, at) => `é${at}`).join(' ');
      expect((await readAll(`a\n${long}\r\nb`, { chunkBytes })).lines).toEqual(['a', long, 'b']);
    },
  );

  it('drops lines over the limit, to the byte, and counts them', async () => {
    const text = `${'a'.repeat(100)}\n${'b'.repeat(101)}\nc\n${'d'.repeat(300_000)}`;
    for (const chunkBytes of [1, 64, 100_000]) {
      expect((await readAll(text, { chunkBytes, maxBytes: 100 })).lines).toEqual(['a'.repeat(100), null, 'c', null]);
    }
  });
});

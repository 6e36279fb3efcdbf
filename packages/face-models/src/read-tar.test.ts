// Reads valid archives in any chunks, and rejects invalid ones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makePathRecord, makeTar, type TarEntry } from '../testing/make-tar.ts';
import { readTar } from './read-tar.ts';

const LIMITS = { maxFileBytes: 10_000, maxArchiveBytes: 1_000_000 };

async function* inPieces(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < content.length; offset += size) yield content.subarray(offset, offset + size);
}

const read = (archive: Uint8Array, wanted: string[], limits = LIMITS, pieceSize = 700) =>
  readTar(inPieces(archive, pieceSize), new Set(wanted), limits);

const file = (path: string, text = path): TarEntry => ({ path, content: Buffer.from(text) });

const part = fc.stringMatching(/^[a-zA-Z0-9_@][a-zA-Z0-9_@ -]{0,8}$/);
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const files = fc.uniqueArray(fc.record({ path, content: fc.uint8Array({ maxLength: 1500 }) }), {
  selector: (entry) => entry.path,
  minLength: 1,
  maxLength: 8,
});

describe('reading', () => {
  test('returns every wanted file, however the stream is chunked', async () => {
    await fc.assert(
      fc.asyncProperty(
        files,
        fc.integer({ min: 1, max: 2000 }),
        fc.infiniteStream(fc.boolean()),
        async (entries, size, coin) => {
          const wanted = entries.filter(() => coin.next().value);
          const found = await read(
            makeTar(entries),
            wanted.map((entry) => entry.path),
            LIMITS,
            size,
          );
          expect([...found.keys()].sort()).toEqual(wanted.map((entry) => entry.path).sort());
          for (const entry of wanted) expect([...found.get(entry.path)!]).toEqual([...entry.content]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('reads a long path from an extended header', async () => {
    const long = `package/${'deep/'.repeat(40)}model.onnx`;
    const archive = makeTar([makePathRecord(long), file('package/short', 'content')]);
    expect((await read(archive, [long])).get(long)?.toString()).toBe('content');
  });

  test('skips folders and global headers', async () => {
    const comment = { path: 'pax_global_header', type: 'g', content: Buffer.from('13 comment=a\n') };
    const archive = makeTar([comment, { path: 'package/', type: '5' }, file('package/a')]);
    expect((await read(archive, ['package/a'])).get('package/a')?.toString()).toBe('package/a');
  });

  test('stops after the last wanted file', async () => {
    const archive = makeTar([file('a'), file('b')]).subarray(0, 1024 + 100);
    expect((await read(archive, ['a'])).size).toBe(1);
  });
});

describe('rejecting', () => {
  test('rejects an archive truncated anywhere', async () => {
    const archive = makeTar([file('a', 'x'.repeat(600)), file('b', 'y')]);
    const lastByte = archive.length - 1024 - 511;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: lastByte - 1 }), async (length) => {
        await expect(read(archive.subarray(0, length), ['a', 'b'])).rejects.toThrow('ends too early');
      }),
      { numRuns: 60 },
    );
  });

  test('rejects a header with any changed byte', async () => {
    const archive = makeTar([file('some/path', 'content')]);
    await fc.assert(
      fc.asyncProperty(fc.nat(499), fc.integer({ min: 1, max: 255 }), async (index, change) => {
        const damaged = Buffer.from(archive);
        damaged[index] = damaged[index]! ^ change;
        // The padding of the checksum's own field does not count.
        fc.pre(index < 154 || index > 155);
        await expect(read(damaged, ['some/path'])).rejects.toThrow();
      }),
      { numRuns: 200 },
    );
  });

  test.each(['../a', 'a/../b', '/a', 'a//b', './a', 'a\\b', 'a\nb'])('rejects the odd path %j', async (odd) => {
    await expect(read(makeTar([file(odd), file('wanted')]), ['wanted'])).rejects.toThrow('odd path');
  });

  test('rejects an odd path in an extended header', async () => {
    const archive = makeTar([makePathRecord('package/../../etc/x'), file('a'), file('wanted')]);
    await expect(read(archive, ['wanted'])).rejects.toThrow('odd path');
  });

  test('rejects a link in place of a wanted file', async () => {
    await expect(read(makeTar([{ path: 'a', type: '2' }]), ['a'])).rejects.toThrow('not a plain file');
  });

  test('rejects a duplicate of a wanted file', async () => {
    await expect(read(makeTar([file('a'), file('a'), file('b')]), ['a', 'b'])).rejects.toThrow('twice');
  });

  test('rejects an archive without a wanted file, by its name', async () => {
    await expect(read(makeTar([file('a')]), ['a', 'b', 'c'])).rejects.toThrow('not in the archive: b, c');
  });

  test('rejects a file beyond the limit before reading it', async () => {
    const header = makeTar([file('a', 'x'.repeat(101))]).subarray(0, 512);
    await expect(read(header, ['a'], { ...LIMITS, maxFileBytes: 100 })).rejects.toThrow('too large');
  });

  test('rejects an endless archive', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      const archive = makeTar([file('other', 'x'.repeat(5000))]).subarray(0, -1024);
      for (;;) yield archive;
    }
    await expect(readTar(endless(), new Set(['a']), LIMITS)).rejects.toThrow('more than 1000000 bytes');
  });

  test.each(['99 path=a\n', '9 path=ab\n', '5 path=a\n', 'path=a\n', '0 path=a\n'])(
    'rejects an extended header with a wrong length: %j',
    async (text) => {
      const lying = { path: 'x', type: 'x', content: Buffer.from(text) };
      await expect(read(makeTar([lying, file('a')]), ['a'])).rejects.toThrow('damaged');
    },
  );

  test('rejects a too large extended header before reading it', async () => {
    const large = { path: 'x', type: 'x', content: Buffer.alloc(70_000) };
    await expect(read(makeTar([large]).subarray(0, 512), ['a'])).rejects.toThrow('extended header is too large');
  });
});

// Lists on disk: replaced atomically, readable after any interruption, never trusted if damaged.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  type EntityChange,
  emptyEntity,
  IndexBuilder,
  type ListedEntity,
  listEntities,
  type ScreeningIndex,
} from '@limen/screening';
import { describe, expect, it } from 'vitest';
import { createTestTools } from '#testing/screening/dataset-tools.ts';
import type { DatasetFolder } from './folder.ts';
import type { DatasetInfo } from './info.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function person(id: string, name: string): ListedEntity {
  const listed = { caption: name, names: [name], birthDates: ['1970'], topics: ['sanction'], datasets: ['test'] };
  return { ...emptyEntity(id, 'Person'), ...listed };
}

function indexOf(...ids: string[]): ScreeningIndex {
  const builder = new IndexBuilder();
  for (const id of ids) builder.add(person(id, `Maria Beispiel ${id}`));
  return builder.finish();
}

function filesOf(folder: DatasetFolder): string[] {
  return readdirSync(join(folder.path, 'one')).sort();
}

function infoOf(name: string, version = '1'): Omit<DatasetInfo, 'indexFile' | 'indexSum' | 'bytes' | 'previous'> {
  const counts = { entityCount: 1, people: 1, sanctions: 1, peps: 0, problemCount: 0 };
  return { name, format: 'ftm-json', source: 'a.json', version, builtAt: '2026-01-01T00:00:00.000Z', ...counts };
}

async function idsIn(folder: DatasetFolder, name: string): Promise<string[]> {
  return [...listEntities(await folder.openIndex((await folder.find(name))!))].map(({ id }) => id);
}

describe('a list', () => {
  it('is read back as it was stored, in shared memory', async () => {
    const { folder } = createTestTools();
    const index = indexOf('a', 'b');
    const stored = await folder.replace(infoOf('one'), index);
    expect(stored).toEqual({
      ...infoOf('one'),
      indexFile: expect.stringMatching(/^index-.*\.bin$/),
      indexSum: { bytes: expect.any(Number), sha256: expect.any(String) },
      bytes: index.bytes,
    });
    const bytes = readFileSync(join(folder.path, 'one', stored.indexFile));
    expect(stored.indexSum).toEqual({ bytes: bytes.length, sha256: sha256(bytes) });
    expect(await folder.find('one')).toEqual(stored);
    const opened = await folder.openIndex(stored);
    expect(opened.sections.entityRecords.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect([...listEntities(opened)]).toEqual([...listEntities(index)]);
    expect(opened.sections).toEqual(index.sections);
  });

  it('is one of several, sorted by name', async () => {
    const { folder } = createTestTools();
    for (const name of ['b', 'a', 'c']) await folder.replace(infoOf(name), indexOf(name));
    expect((await folder.list()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(await folder.problems()).toEqual([]);
  });

  it('is replaced: the previous index file stays, and is deleted by the next version', async () => {
    const { folder } = createTestTools();
    const first = await folder.replace(infoOf('one', '1'), indexOf('a'));
    const second = await folder.replace(infoOf('one', '2'), indexOf('b'));
    const { version, entityCount, builtAt, indexFile, indexSum } = first;
    expect(second.previous).toEqual({ version, entityCount, builtAt, indexFile, indexSum });
    expect(filesOf(folder)).toEqual(['dataset.json', first.indexFile, second.indexFile].sort());
    expect(await idsIn(folder, 'one')).toEqual(['b']);
    const third = await folder.replace(infoOf('one', '3'), indexOf('c'));
    expect(third.previous).toMatchObject({ version: '2', indexFile: second.indexFile });
    expect(filesOf(folder)).toEqual(['dataset.json', second.indexFile, third.indexFile].sort());
    await expect(folder.openIndex(first)).rejects.toThrow('one was replaced or removed during the call');
    expect(await folder.find('one')).toEqual(third);
  });

  it('is readable by its owner only', async () => {
    const { folder } = createTestTools();
    const { indexFile } = await folder.replace(infoOf('one'), indexOf('a'));
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(['', 'dataset.json', indexFile].map((file) => mode(join(folder.path, 'one', file)))).toEqual([
      0o700, 0o600, 0o600,
    ]);
  });

  it('remembers the result of a refresh without a change of its own files', async () => {
    const { folder } = createTestTools();
    const stored = await folder.replace(infoOf('one'), indexOf('a'));
    const sync = {
      checkedAt: '2026-02-02T00:00:00.000Z',
      files: [{ role: 'main' as const, url: 'http://a.example/' }],
    };
    expect(await folder.noteSync(stored, sync)).toEqual({ ...stored, sync });
    expect(await folder.find('one')).toEqual({ ...stored, sync });
    expect(await idsIn(folder, 'one')).toEqual(['a']);
  });

  it('is removed with everything that belongs to it', async () => {
    const { folder } = createTestTools();
    await folder.replace(infoOf('one'), indexOf('a'));
    expect(await folder.remove('one')).toBe(true);
    expect(existsSync(join(folder.path, 'one'))).toBe(false);
    expect(await folder.remove('one')).toBe(false);
    expect(await folder.list()).toEqual([]);
  });

  it('has a name that stays in the folder', async () => {
    const { folder, dataDir } = createTestTools();
    writeFileSync(
      join(dataDir, 'dataset.json'),
      JSON.stringify({ ...infoOf('one'), indexFile: 'index-1.bin', bytes: 1 }),
    );
    expect(await folder.find('..')).toBeUndefined();
    await expect(folder.remove('..')).rejects.toThrow('The name of a dataset');
    await expect(folder.replace(infoOf('../x'), indexOf('a'))).rejects.toThrow('The name of a dataset');
    expect(existsSync(join(dataDir, 'dataset.json'))).toBe(true);
  });
});

it('is absent if there is no folder yet, which is not created', async () => {
  const { folder } = createTestTools();
  expect([await folder.list(), await folder.problems(), await folder.find('one')]).toEqual([[], [], undefined]);
  expect(existsSync(folder.path)).toBe(false);
});

describe('the changes of a list', () => {
  it('are those since the previous version, read from the files', async () => {
    const { folder } = createTestTools();
    const many = Array.from({ length: 2_000 }, (_, number) => `id-${number}`);
    await folder.replace(infoOf('one', '1'), indexOf('gone', ...many));
    const info = await folder.replace(infoOf('one', '2'), indexOf(...many.toReversed(), 'new'));
    const changes: EntityChange[] = [];
    for await (const change of folder.changesOf(info)) changes.push(change);
    expect(changes).toEqual([
      { change: 'added', after: person('new', 'Maria Beispiel new') },
      { change: 'removed', before: person('gone', 'Maria Beispiel gone') },
    ]);
  });

  it('are unavailable for a first version, and from a damaged or missing file', async () => {
    const { folder } = createTestTools();
    const first = await folder.replace(infoOf('one', '1'), indexOf('a'));
    await expect(folder.changesOf(first).next()).rejects.toThrow('one has only one version');
    const second = await folder.replace(infoOf('one', '2'), indexOf('b'));
    const path = join(folder.path, 'one', first.indexFile);
    const bytes = readFileSync(path);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(path, bytes);
    await expect(folder.changesOf(second).next()).rejects.toThrow('An index file of one is damaged');
    rmSync(path);
    await expect(folder.changesOf(second).next()).rejects.toThrow('replaced or removed during the call');
    expect(await folder.problems()).toEqual([]);
  });

  it('are not kept if the list was damaged when it was replaced', async () => {
    const { folder } = createTestTools();
    const first = await folder.replace(infoOf('one', '1'), indexOf('a'));
    rmSync(join(folder.path, 'one', first.indexFile));
    expect((await folder.replace(infoOf('one', '2'), indexOf('b'))).previous).toBeUndefined();
  });
});

describe('after a killed process', () => {
  it('a half-written first index leaves no list and no problem', async () => {
    const { folder } = createTestTools();
    mkdirSync(join(folder.path, 'one'), { recursive: true });
    writeFileSync(join(folder.path, 'one', 'index-half.bin'), 'LIMEN');
    expect([await folder.list(), await folder.problems()]).toEqual([[], []]);
    const { indexFile } = await folder.replace(infoOf('one'), indexOf('a'));
    expect(readdirSync(join(folder.path, 'one')).sort()).toEqual(['dataset.json', indexFile]);
  });

  it('the old list stays active before the switch, and the next load cleans up', async () => {
    const { folder } = createTestTools();
    const before = await folder.replace(infoOf('one'), indexOf('a'));
    writeFileSync(join(folder.path, 'one', 'index-next.bin'), 'LIMENIDX half');
    writeFileSync(join(folder.path, 'one', 'dataset.json.next'), '{"name":');
    expect(await idsIn(folder, 'one')).toEqual(['a']);
    expect(await folder.problems()).toEqual([]);
    const { indexFile } = await folder.replace(infoOf('one', '2'), indexOf('b'));
    expect(filesOf(folder)).toEqual(['dataset.json', before.indexFile, indexFile].sort());
  });

  it('the new list is active after the switch', async () => {
    const { folder } = createTestTools();
    await folder.replace(infoOf('one'), indexOf('a'));
    writeFileSync(join(folder.path, 'one', 'index-old.bin'), 'the old one that was not yet removed');
    expect(await idsIn(folder, 'one')).toEqual(['a']);
  });
});

describe('damage', () => {
  it.each([
    ['invalid JSON', () => '{"name": "one"'],
    ['nothing', () => ''],
    ['another list', (text: string) => text.replace('"one"', '"two"')],
    ['a path', (text: string) => text.replace(/index-[^"]*/, '../../../etc/passwd')],
    ['an invalid format', (text: string) => text.replace('ftm-json', 'tea-leaves')],
    ['an invalid count', (text: string) => text.replace('"people": 1', '"people": -1')],
    ['an invalid time', (text: string) => text.replace('2026-01-01', 'someday')],
    [
      'an invalid address',
      (text: string) =>
        text.replace(
          '"version"',
          '"sync": {"checkedAt": "2026-01-01", "files": [{"role": "main", "url": "x"}]}, "version"',
        ),
    ],
    ['an invalid checksum', (text: string) => text.replace(/"sha256": "../, '"sha256": "')],
    ['an invalid refresh', (text: string) => text.replace('"version"', '"sync": {"files": 1}, "version"')],
  ])('of dataset.json (%s) affects only that list', async (_, damage) => {
    const { folder } = createTestTools();
    await folder.replace(infoOf('one'), indexOf('a'));
    await folder.replace(infoOf('sound'), indexOf('b'));
    const path = join(folder.path, 'one', 'dataset.json');
    const text = readFileSync(path, 'utf8');
    expect(damage(text)).not.toBe(text);
    writeFileSync(path, damage(text));
    expect((await folder.list()).map(({ name }) => name)).toEqual(['sound']);
    expect(await folder.find('one')).toBeUndefined();
    expect(await folder.problems()).toEqual([expect.stringContaining('one: its dataset.json is damaged')]);
    await folder.replace(infoOf('one', '2'), indexOf('c'));
    expect(await idsIn(folder, 'one')).toEqual(['c']);
    expect(await folder.problems()).toEqual([]);
  });

  it('does not prevent removal', async () => {
    const { folder } = createTestTools();
    await folder.replace(infoOf('one'), indexOf('a'));
    writeFileSync(join(folder.path, 'one', 'dataset.json'), '');
    expect(await folder.remove('one')).toBe(true);
    expect(await folder.problems()).toEqual([]);
  });

  it('is reported if the index file is missing, cut off or replaced', async () => {
    const { folder } = createTestTools();
    const info = await folder.replace(infoOf('one'), indexOf('a'));
    const path = join(folder.path, 'one', info.indexFile);
    const bytes = readFileSync(path);
    for (const size of [0, 5, 20, bytes.length - 1]) {
      writeFileSync(path, bytes);
      truncateSync(path, size);
      await expect(folder.openIndex(info)).rejects.toThrow('The index of one is damaged');
    }
    writeFileSync(path, 'something else entirely, and long enough');
    await expect(folder.openIndex(info)).rejects.toThrow('The index of one is damaged');
    expect(await folder.examineIndex(info, 'head')).toContain('one: its index file is damaged; load it again');
    rmSync(path);
    expect(await folder.problems()).toEqual([expect.stringContaining('one: its index file is missing')]);
    expect(await folder.list()).toEqual([]);
    expect(await folder.remembered()).toEqual([info]);
  });

  it('of a single bit is found when the index is opened or fully verified', async () => {
    const { folder } = createTestTools();
    const info = await folder.replace(infoOf('one'), indexOf('a'));
    expect([await folder.examineIndex(info, 'head'), await folder.examineIndex(info, 'whole')]).toEqual([
      undefined,
      undefined,
    ]);
    const path = join(folder.path, 'one', info.indexFile);
    const bytes = readFileSync(path);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(path, bytes);
    await expect(folder.openIndex(info)).rejects.toThrow('The index of one is damaged');
    expect(await folder.examineIndex(info, 'whole')).toContain('one: its index file is damaged');
  });
});

it('is not an older layout: its index is rebuilt from its records', async () => {
  const { folder } = createTestTools();
  const index = indexOf('a', 'b', 'c');
  const info = await folder.replace(infoOf('one'), index);
  const path = join(folder.path, 'one', info.indexFile);
  const bytes = readFileSync(path);
  const head = /"layout":(\d+)/.exec(bytes.toString('latin1'))!;
  const older = `"layout":${head[1]!.replace(/^./, (digit) => (digit === '1' ? '2' : '1'))}`;
  bytes.write(older, head.index, 'latin1');
  writeFileSync(path, bytes);
  await expect(folder.openIndex(info)).rejects.toThrow('The index of one is damaged'); // Its checksum differs.
  const summed = { ...info, indexSum: { bytes: bytes.length, sha256: sha256(bytes) } };
  const rebuilt = await folder.openIndex(summed);
  expect(rebuilt.sections).toEqual(index.sections);
  expect(await folder.examineIndex(summed, 'whole')).toBeUndefined();
});

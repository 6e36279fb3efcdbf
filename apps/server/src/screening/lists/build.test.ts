// Building in a worker thread: its result, its progress, and how failures end it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listEntities } from '@limen/screening';
import { describe, expect, it } from 'vitest';
import { createTestTools } from '#testing/screening/dataset-tools.ts';
import { ftmCrowd, ftmList, ftmPerson } from '#testing/screening/publisher.ts';
import { buildDataset } from './build.ts';
import type { BuildProgress, BuildRequest } from './build-worker.ts';

function prepare() {
  const { dataDir } = createTestTools();
  const write = (name: string, text: string) => {
    const path = join(dataDir, name);
    writeFileSync(path, text);
    return path;
  };
  const request = (text: string): BuildRequest => {
    return { kind: 'list', name: 'one', format: 'ftm-json', files: { main: write('list.json', text) } };
  };
  return { dataDir, write, request };
}

describe('a list', () => {
  it('is returned as an index in shared memory, with its counts and a report', async () => {
    const { request } = prepare();
    const text = ftmList(ftmPerson('a', 'Maria Beispiel'), 'broken', ftmPerson('b', 'Otto Muster'));
    const { index, counts, report } = await buildDataset(request(text));
    expect(index.sections.entityRecords.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect([...listEntities(index)].map(({ id }) => id)).toEqual(['a', 'b']);
    expect(counts).toEqual({ people: 2, sanctions: 2, peps: 0 });
    expect(report).toMatchObject({ entities: 2, problemCount: 1, problems: [{ where: 'line 2' }] });
  });

  it('reports which entity has more records in total than allowed', async () => {
    const { request } = prepare();
    const record = (number: number) => {
      const alias = Array.from({ length: 3_000 }, (_, at) => `Alias ${number * 3_000 + at}`);
      return JSON.stringify({ id: 'many', schema: 'Person', properties: { name: ['Maria Beispiel'], alias } });
    };
    const { report } = await buildDataset(request(ftmList(record(0), record(1), ftmPerson('b', 'Otto Muster'))));
    expect(report).toMatchObject({ entities: 2, problemCount: 2 });
    expect(report.problems[1]).toEqual({
      where: 'record many',
      reason: expect.stringContaining('more than 5000 values'),
    });
  });

  it('reports progress to the end of the file, and does not block the event loop', async () => {
    const { request } = prepare();
    const text = ftmCrowd(20_000);
    const told: BuildProgress[] = [];
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 1);
    await buildDataset(request(text), { onProgress: (progress) => told.push(progress) });
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
    expect(told.length).toBeGreaterThan(2);
    expect(told.at(-1)).toMatchObject({ bytesRead: text.length, bytesTotal: text.length, entities: 20_000 });
    for (const [at, { bytesRead }] of told.entries())
      expect(bytesRead).toBeGreaterThanOrEqual(told[at - 1]?.bytesRead ?? 0);
  });

  it("that cannot be read fails with the system's code, and without a path", async () => {
    const { dataDir } = prepare();
    const main = join(dataDir, 'nowhere.json');
    const failing = buildDataset({ kind: 'list', name: 'one', format: 'ftm-json', files: { main } });
    await expect(failing).rejects.toMatchObject({ name: 'BuildError', code: 'ENOENT' });
    await expect(failing).rejects.not.toThrow('nowhere');
  });

  it('is aborted on request', async () => {
    const { request } = prepare();
    const controller = new AbortController();
    const reason = new Error('enough');
    const building = buildDataset(request(ftmCrowd(10_000)), {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(building).rejects.toBe(reason);
  });
});

describe('deltas', () => {
  const line = (op: string, entity: string) => `{"op":"${op}","entity":${entity}}`;

  it('add, change and remove; the last one wins', async () => {
    const { request, write } = prepare();
    const list = ftmList(ftmPerson('a', 'Anna Alt'), ftmPerson('b', 'Berta Bleibt'), ftmPerson('c', 'Carl Geht'));
    const { index } = await buildDataset(request(list));
    const deltas = [
      ftmList(
        line('ADD', ftmPerson('d', 'Dora Da')),
        line('DEL', '{"id":"c"}'),
        line('ADD', ftmPerson('e', 'Emil Kurz')),
      ),
      ftmList(line('MOD', ftmPerson('a', 'Anna Neu')), line('DEL', '{"id":"e"}'), line('DEL', '{"id":"unknown"}')),
    ].map((text, number) => write(`delta-${number}`, text));
    const { index: changed, counts } = await buildDataset({ kind: 'deltas', name: 'one', index, deltas });
    expect([...listEntities(changed)].map(({ id, caption }) => [id, caption])).toEqual([
      ['a', 'Anna Neu'],
      ['b', 'Berta Bleibt'],
      ['d', 'Dora Da'],
    ]);
    expect(counts.people).toBe(3);
    expect(index.entityCount).toBe(3);
  });
});

// The in-memory index always equals the rows, whichever process wrote them.

import { PATIENCE } from '@limen/testing/patience.ts';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { rotate } from '#testing/data-keys.ts';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { makeFace, makePicture } from '#testing/faces.ts';
import { liveOwner } from '#testing/owners.ts';
import { openPeopleProcess, type PeopleProcess, TEST_MASTER_KEY } from '#testing/processes/people-process.ts';
import { systemClock } from '../../../platform/base/clock.ts';
import { createIds, named, type Puid } from '../../../platform/base/ids.ts';
import { UnknownDataKeyError } from '../../../platform/sealing/sealer.ts';
import { openStorage } from '../../../platform/storage.ts';
import { similarity } from '../face-vectors.ts';

const GALLERY = { owner: liveOwner('c'), modelVersion: 'FACE3_1' };
const RUNS = onlyWhenLong(200, 4);

async function createPlace(): Promise<TestDatabase> {
  const place = await createTestDatabase();
  onTestFinished(place.dispose);
  return place;
}

const enroll = ({ people }: PeopleProcess, ...vectors: Float32Array[]) => people.enrol({ ...GALLERY, vectors });
const remove = ({ people }: PeopleProcess, puid: Puid) => people.remove(GALLERY.owner, puid);
const find = async ({ people }: PeopleProcess, vector: Float32Array) =>
  (await people.identify({ ...GALLERY, vector, k: 1 })).matches[0]?.puid;
/** Purges the log of removals, as housekeeping does a day later. */
const purgeLog = ({ database, store }: PeopleProcess) =>
  database.transact((trx) => store.purgeRemovals(trx, Number.MAX_SAFE_INTEGER));

/** Updates the index and compares its content and answers with the rows. */
async function expectIndexEqualsRows({ database, store, seal, index, galleries }: PeopleProcess): Promise<void> {
  const rows = await database.queries.selectFrom('embeddings').select(['seq', 'id', 'sealed']).orderBy('seq').execute();
  const [gallery] = await store.listGalleries();
  if (!gallery) return expect(rows).toEqual([]);
  const probe = makeFace(0);
  const hits = await index.search(gallery, probe, { k: rows.length + 10, minSimilarity: -1 });
  expect(galleries.at(-1)?.size ?? 0).toBe(rows.length);
  expect(hits.map(({ key }) => key).toSorted((a, b) => a - b)).toEqual(rows.map(({ seq }) => seq));
  const bySeq = new Map(hits.map((hit) => [hit.key, hit.similarity]));
  for (const { seq, id, sealed } of rows) {
    expect(bySeq.get(seq)).toBeCloseTo(similarity(probe, seal.open(id, sealed)), 6);
  }
}

describe('a process that has not loaded the newest data key yet', () => {
  it.each([['by itself', 1_000], ...onlyWhenLong<[string, number][]>([['by threads', 1]], [])] as const)(
    'leaves no face out that it reads %s, and has it once it has learned the key',
    async (_, leastForThreads) => {
      const place = await createPlace();
      const one = await openPeopleProcess(place);
      await enroll(one, makeFace(1));
      const [gallery] = await one.store.listGalleries();
      const late = await openPeopleProcess(place, { leastForThreads });
      const ids = createIds(systemClock);
      const rotating = await openStorage({ ...place, masterKey: TEST_MASTER_KEY, clock: systemClock, ids });
      onTestFinished(() => rotating.database.close());
      // Simulates a suspended process.
      await rotating.database.queries.deleteFrom('processes').where('id', '!=', rotating.presence.id).execute();
      await rotate(rotating);
      const search = () => late.index.search(gallery!, makeFace(1), { k: 1, minSimilarity: 0.9 });
      await expect(search()).rejects.toBeInstanceOf(UnknownDataKeyError);
      await late.presence.renew();
      expect(await search()).toHaveLength(1);
    },
  );
});

describe('two processes', () => {
  it("see each other's enrollments and deletions in the next search", async () => {
    const place = await createPlace();
    const [one, other] = [await openPeopleProcess(place), await openPeopleProcess(place)];
    expect(await find(other, makeFace(1))).toBe(undefined);
    const { puid } = await enroll(one, makeFace(1), makePicture(1, 1));
    expect(await find(other, makeFace(1))).toBe(puid);
    expect(other.galleries[0]?.size).toBe(2);
    expect(await remove(one, puid)).toBe(true);
    expect(one.galleries[0]?.size).toBe(0);
    expect(await find(other, makeFace(1))).toBe(undefined);
    expect(other.galleries[0]?.size).toBe(0);
  });

  it("drop the other process's deletions even without searches", async () => {
    const place = await createPlace();
    const [one, idle] = [await openPeopleProcess(place), await openPeopleProcess(place, { pollMs: 5 })];
    const { puid } = await enroll(one, makeFace(1));
    await enroll(one, makeFace(2));
    await idle.index.load();
    expect(idle.galleries.map(({ size }) => size)).toEqual([2]);
    await remove(one, puid);
    await vi.waitFor(() => expect(idle.galleries.map(({ size }) => size)).toEqual([1]), PATIENCE);
    await expectIndexEqualsRows(idle);
  });

  it('keep polling after a database outage', async () => {
    const place = await createPlace();
    let failures = 0;
    const one = await openPeopleProcess(place);
    const idle = await openPeopleProcess(place, {
      pollMs: 5,
      wrapStore: (store) => ({
        ...store,
        async listVersions(ids) {
          if (failures === 0) return store.listVersions(ids);
          failures -= 1;
          throw new Error('Connection terminated');
        },
      }),
    });
    const { puid } = await enroll(one, makeFace(1));
    await idle.index.load();
    failures = 3;
    await remove(one, puid);
    await vi.waitFor(() => expect(idle.galleries[0]?.size).toBe(0), PATIENCE);
    expect(idle.logged()).toContain('looking for changed galleries failed');
  });
});

describe('loading', () => {
  it('reads every page at the start and then reports readiness', async () => {
    const place = await createPlace();
    const first = await openPeopleProcess(place);
    // More than one page of rows.
    for (let face = 0; face < 30; face++)
      await enroll(first, makePicture(face, 0), makePicture(face, 1), makeFace(face));
    const restarted = await openPeopleProcess(place);
    expect(restarted.index.state()).toContain('loading');
    await restarted.index.load();
    expect(restarted.index.state()).toBe('ready');
    expect(restarted.galleries.map(({ size }) => size)).toEqual([90]);
    await expectIndexEqualsRows(restarted);
  });

  it.each([false, true])('resumes after an interruption and misses no deletion (log purged: %s)', async (purged) => {
    const place = await createPlace();
    const first = await openPeopleProcess(place);
    const puids: string[] = [];
    for (let face = 0; face < 70; face++) puids.push((await enroll(first, makeFace(face))).puid);
    let pages = 0;
    const second = await openPeopleProcess(place, {
      wrapStore: (store) => ({
        ...store,
        async listEmbeddings(...given) {
          pages += 1;
          if (pages === 2) throw new Error('Connection terminated');
          return store.listEmbeddings(...given);
        },
      }),
    });
    await expect(find(second, makeFace(0))).rejects.toThrow('Connection terminated');
    expect(second.galleries[0]?.size).toBe(64);
    await remove(first, named(puids[0]!));
    if (purged) await purgeLog(first);
    expect(await find(second, makeFace(0))).toBe(undefined);
    expect(await find(second, makeFace(69))).toBe(puids[69]);
    await expectIndexEqualsRows(second);
  });

  it('reads large galleries in threads, with the same result', async () => {
    const place = await createPlace();
    const first = await openPeopleProcess(place);
    const puids: string[] = [];
    for (let face = 0; face < 12; face++) puids.push((await enroll(first, makeFace(face))).puid);
    await remove(first, named(puids[3]!));
    await first.database.queries
      .updateTable('embeddings')
      .set({ sealed: Buffer.from('no longer sealed') })
      .where('seq', '=', 6)
      .execute();
    const second = await openPeopleProcess(place, { leastForThreads: 1 });
    expect(await find(second, makeFace(0))).toBe(puids[0]);
    expect(await find(second, makeFace(11))).toBe(puids[11]);
    expect(await find(second, makeFace(3))).toBe(undefined);
    expect(second.galleries[0]?.size).toBe(10);
    expect(second.logged()).toContain('cannot be read');
  });

  it('retries after the threads fail to read', async () => {
    const place = await createPlace();
    const first = await openPeopleProcess(place);
    const { puid } = await enroll(first, makeFace(1));
    await first.database.queries.schema.alterTable('embeddings').renameTo('elsewhere').execute();
    const second = await openPeopleProcess(place, { leastForThreads: 1 });
    await expect(find(second, makeFace(1))).rejects.toThrow();
    await first.database.queries.schema.alterTable('elsewhere').renameTo('embeddings').execute();
    expect(await find(second, makeFace(1))).toBe(puid);
  });

  it('leaves out and reports a damaged row, and finds everyone else', async () => {
    const place = await createPlace();
    const first = await openPeopleProcess(place);
    const puids: string[] = [];
    for (const face of [1, 2, 3]) puids.push((await enroll(first, makeFace(face))).puid);
    const { queries } = first.database;
    const { id, sealed } = await queries
      .selectFrom('embeddings')
      .select(['id', 'sealed'])
      .where('seq', '=', 2)
      .executeTakeFirstOrThrow();
    const damaged = Buffer.from(sealed);
    damaged[damaged.length - 1]! ^= 1;
    await queries.updateTable('embeddings').set({ sealed: damaged }).where('seq', '=', 2).execute();

    const restarted = await openPeopleProcess(place);
    await restarted.index.load();
    expect(restarted.index.state()).toBe('ready');
    expect(restarted.galleries[0]?.size).toBe(2);
    expect(restarted.logged()).toContain('an embedding cannot be read and is left out');
    expect(restarted.logged()).toContain(id);
    const found = await Promise.all([1, 2, 3].map((face) => find(restarted, makeFace(face))));
    expect(found).toEqual([puids[0], undefined, puids[2]]);
    // The damaged row can still be deleted, because deleting does not decrypt it.
    expect(await remove(restarted, named(puids[1]!))).toBe(true);
    await expectIndexEqualsRows(restarted);
  });
});

describe('the log of removals', () => {
  it('makes an index older than the log reload all rows', async () => {
    const place = await createPlace();
    const [one, old] = [await openPeopleProcess(place), await openPeopleProcess(place)];
    const gone = await enroll(one, makeFace(1));
    const stays = await enroll(one, makeFace(2));
    await old.index.load();
    await remove(one, gone.puid);
    await purgeLog(one);
    expect(await one.database.queries.selectFrom('gallery_removals').selectAll().execute()).toEqual([]);
    await enroll(one, makeFace(3));
    expect(await find(old, makeFace(1))).toBe(undefined);
    expect(await find(old, makeFace(2))).toBe(stays.puid);
    expect(old.galleries).toHaveLength(2);
    await expectIndexEqualsRows(old);
  });

  it('costs an up-to-date index nothing when it is purged', async () => {
    const place = await createPlace();
    const [one, current] = [await openPeopleProcess(place), await openPeopleProcess(place)];
    const { puid } = await enroll(one, makeFace(1));
    await remove(one, puid);
    await current.index.load();
    await purgeLog(one);
    await enroll(one, makeFace(2));
    expect(await find(current, makeFace(2))).toBeDefined();
    expect(current.galleries).toHaveLength(1);
    await expectIndexEqualsRows(current);
  });
});

describe('with a limit', () => {
  const MODELS = ['FACE3_1', 'FACE3_2', 'FACE3_3'];
  /** Memory of a gallery with one face, the smallest allocation. */
  const measureOne = async (place: TestDatabase) => {
    const process = await openPeopleProcess(place);
    await enroll(process, makeFace(1));
    await find(process, makeFace(1));
    return process.galleries[0]!.bytes;
  };
  const findIn = async ({ people }: PeopleProcess, modelVersion: string, face: number) =>
    (await people.identify({ ...GALLERY, modelVersion, vector: makeFace(face), k: 1 })).matches[0]?.puid;
  const here = ({ galleries }: PeopleProcess) => galleries.map(({ size }) => size);

  it('loads galleries on demand and evicts the least recently used', async () => {
    const place = await createPlace();
    const memoryBytes = 2 * (await measureOne(place));
    const writer = await openPeopleProcess(place);
    const puids: Puid[] = [];
    for (const modelVersion of MODELS)
      puids.push((await writer.people.enrol({ ...GALLERY, modelVersion, vectors: [makeFace(1)] })).puid);
    const reader = await openPeopleProcess(place, { memoryBytes, pollMs: 5 });
    await reader.index.load();
    expect(reader.index.state()).toBe('ready');
    expect(here(reader)).toEqual([]);

    expect(await findIn(reader, MODELS[0]!, 1)).toBe(puids[0]);
    expect(await findIn(reader, MODELS[1]!, 1)).toBe(puids[1]);
    expect(await findIn(reader, MODELS[0]!, 1)).toBe(puids[0]);
    expect(here(reader)).toEqual([1, 1]);
    // The second is least recently used. Evicted memory is wiped, and polling does not reload it.
    expect(await findIn(reader, MODELS[2]!, 1)).toBe(puids[2]);
    expect(here(reader)).toEqual([1, 0, 1]);
    // Deleted while evicted, so it does not come back with the gallery.
    await writer.people.remove(GALLERY.owner, puids[1]!);
    expect(await findIn(reader, MODELS[1]!, 1)).toBe(undefined);
    expect(here(reader)).toEqual([1, 0, 1, 0]);
  });

  it('loads one gallery at a time under concurrent requests', async () => {
    const place = await createPlace();
    const memoryBytes = await measureOne(place);
    const writer = await openPeopleProcess(place);
    for (const modelVersion of MODELS) await writer.people.enrol({ ...GALLERY, modelVersion, vectors: [makeFace(1)] });
    let reading = 0;
    let most = 0;
    const reader = await openPeopleProcess(place, {
      memoryBytes,
      wrapStore: (store) => ({
        ...store,
        async listEmbeddings(...asked) {
          reading += 1;
          most = Math.max(most, reading);
          try {
            return await store.listEmbeddings(...asked);
          } finally {
            reading -= 1;
          }
        },
      }),
    });
    const found = await Promise.all(MODELS.map((modelVersion) => findIn(reader, modelVersion, 1)));
    expect(found.every((puid) => puid !== undefined)).toBe(true);
    expect(most).toBe(1);
    expect(here(reader).filter((size) => size > 0)).toHaveLength(1);
  });

  it('keeps a gallery larger than the limit until another is requested', async () => {
    const place = await createPlace();
    const writer = await openPeopleProcess(place);
    const { puid } = await enroll(writer, makeFace(1));
    await writer.people.enrol({ ...GALLERY, modelVersion: MODELS[1]!, vectors: [makeFace(2)] });
    const reader = await openPeopleProcess(place, { memoryBytes: 1 });
    await reader.index.load();
    const found = await Promise.all(Array.from({ length: 5 }, () => find(reader, makeFace(1))));
    expect(found).toEqual(Array(5).fill(puid));
    expect(here(reader)).toEqual([1]);
    expect(await findIn(reader, MODELS[1]!, 2)).toBeDefined();
    expect(here(reader)).toEqual([0, 1]);
  });
});

type Step = { process: 0 | 1; face: number } & (
  | { do: 'enrol'; pictures: number }
  | { do: 'remove' | 'find' | 'purge' }
);

it('equals the rows after any operations through either process', async () => {
  const place = await createPlace();
  const processes = [await openPeopleProcess(place), await openPeopleProcess(place)] as const;
  const base = { process: fc.constantFrom(0 as const, 1 as const), face: fc.nat(6) };
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ ...base, do: fc.constant('enrol' as const), pictures: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 3, arbitrary: fc.record({ ...base, do: fc.constant('remove' as const) }) },
    { weight: 2, arbitrary: fc.record({ ...base, do: fc.constant('find' as const) }) },
    { weight: 1, arbitrary: fc.record({ ...base, do: fc.constant('purge' as const) }) },
  );
  const puids = new Map<number, Puid>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      for (const given of steps) {
        const process = processes[given.process];
        const known = puids.get(given.face);
        if (given.do === 'enrol') {
          const vectors = Array.from({ length: given.pictures }, (_, picture) => makePicture(given.face, picture));
          const { puid, isNew } = await enroll(process, ...vectors);
          expect(isNew).toBe(known === undefined);
          if (known !== undefined) expect(puid).toBe(known);
          puids.set(given.face, puid);
        } else if (given.do === 'remove' && known !== undefined) {
          expect(await remove(process, known)).toBe(true);
          puids.delete(given.face);
        } else if (given.do === 'find') {
          expect(await find(process, makePicture(given.face, 9))).toBe(known);
        } else if (given.do === 'purge') {
          await purgeLog(process);
        }
      }
      for (const process of processes) await expectIndexEqualsRows(process);
      const [gallery] = await processes[0].store.listGalleries();
      expect(gallery?.people ?? 0).toBe(puids.size);
    }),
    { numRuns: RUNS },
  );
});

// People on a real database with two processes: one face is one person, even under races and faults.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { blendFaces, makeFace, makePicture } from '#testing/faces.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { openPeopleProcess, type PeopleProcess } from '#testing/processes/people-process.ts';
import type { Puid } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Candidate } from './people.ts';
import type { PeopleStore } from './store/people.ts';

const GALLERY = { owner: liveOwner('c'), modelVersion: 'FACE3_1' };
const REQUEST = { caller: { owner: GALLERY.owner, isProven: true }, modelVersion: GALLERY.modelVersion };

async function createPlace(): Promise<TestDatabase> {
  const place = await createTestDatabase();
  onTestFinished(place.dispose);
  return place;
}

async function openTwo() {
  const place = await createPlace();
  const processes = [await openPeopleProcess(place), await openPeopleProcess(place)] as const;
  /** Alternates between the two. */
  const each = <T>(count: number, work: (process: PeopleProcess, i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, i) => work(processes[i % 2]!, i)));
  return { processes, each };
}

const candidate = (...vectors: Float32Array[]): Candidate => ({ ...GALLERY, vectors });
const identify = ({ people }: PeopleProcess, vector: Float32Array, k = 1) => people.identify({ ...GALLERY, vector, k });
const remove = ({ people }: PeopleProcess, puid: Puid) => people.remove(GALLERY.owner, puid);

/** Content of the database; also checks the counts in the gallery rows. */
async function countRows({ database: { queries } }: PeopleProcess) {
  const people = await queries.selectFrom('people').select('id').execute();
  const embeddings = await queries.selectFrom('embeddings').select(['person_id', 'seq']).execute();
  const galleries = await queries.selectFrom('galleries').select(['people', 'embeddings']).execute();
  const known = new Set(people.map(({ id }) => id));
  expect(embeddings.filter(({ person_id }) => !known.has(person_id))).toEqual([]);
  const counts = { people: people.length, embeddings: embeddings.length };
  expect(galleries).toEqual([counts]);
  return counts;
}

describe('concurrent enrollment through two processes', () => {
  it.each([2, 20])('makes one person of %i exact copies of a face', async (copies) => {
    const { processes, each } = await openTwo();
    const enrollments = await each(copies, ({ people }) => people.enrol(candidate(makeFace(1))));
    expect(new Set(enrollments.map(({ puid }) => puid)).size).toBe(1);
    expect(new Set(enrollments.map(({ guid }) => guid)).size).toBe(1);
    expect(enrollments.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await countRows(processes[0])).toEqual({ people: 1, embeddings: 1 });
  });

  it('makes one person of 20 pictures, whom both processes find', async () => {
    const { processes, each } = await openTwo();
    const enrollments = await each(20, ({ people }, i) => people.enrol(candidate(makePicture(1, i))));
    expect(new Set(enrollments.map(({ puid }) => puid)).size).toBe(1);
    expect(await countRows(processes[0])).toEqual({ people: 1, embeddings: 1 });
    for (const process of processes) {
      const { matches } = await identify(process, makePicture(1, 99));
      expect(matches.map(({ puid }) => puid)).toEqual([enrollments[0]!.puid]);
    }
  });

  it('enrolls 24 different faces with every embedding', async () => {
    const { processes, each } = await openTwo();
    const vectorsOf = (i: number) => [makePicture(i, 0), makePicture(i, 1), makePicture(i, 2)].slice(0, 1 + (i % 3));
    const enrollments = await each(24, ({ people }, i) => people.enrol(candidate(...vectorsOf(i))));
    expect(enrollments.every(({ isNew }) => isNew)).toBe(true);
    expect(new Set(enrollments.map(({ puid }) => puid)).size).toBe(24);
    expect(await countRows(processes[1])).toEqual({ people: 24, embeddings: 48 });
    const found = await each(24, (process, i) => identify(process, makePicture(i, 7)));
    expect(found.map(({ matches }) => matches[0]?.puid)).toEqual(enrollments.map(({ puid }) => puid));
  });

  it('enrolls a burst of people with many embeddings or one at the first attempt', async () => {
    let transactions = 0;
    const process = await openPeopleProcess(await createPlace(), {
      wrapDatabase: (database) => ({
        ...database,
        transact(work) {
          transactions += 1;
          return database.transact(work);
        },
      }),
    });
    const vectorsOf = (i: number) => Array.from({ length: i % 3 === 0 ? 1 : 64 }, (_, at) => makePicture(i, at));
    const enrollments = await Promise.all(
      Array.from({ length: 72 }, (_, i) => process.people.enrol(candidate(...vectorsOf(i)))),
    );
    expect(enrollments.every(({ isNew }) => isNew)).toBe(true);
    expect(await countRows(process)).toEqual({ people: 72, embeddings: 48 * 64 + 24 });
    // Almost no enrollment had to repeat its search.
    expect(transactions).toBeLessThan(2 * 72);
  });

  it('makes ten people of ten faces enrolled four times each', async () => {
    const { processes, each } = await openTwo();
    const enrollments = await each(40, ({ people }, i) => people.enrol(candidate(makePicture(i % 10, i))));
    for (const [i, { puid }] of enrollments.entries()) expect(puid).toBe(enrollments[i % 10]!.puid);
    expect(await countRows(processes[0])).toEqual({ people: 10, embeddings: 10 });
  });
});

describe('deletion', () => {
  it('succeeds once under concurrent requests', async () => {
    const { processes, each } = await openTwo();
    const { puid } = await processes[0].people.enrol(candidate(makeFace(1), makePicture(1, 1)));
    const removed = await each(10, (process) => remove(process, puid));
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect(await countRows(processes[0])).toEqual({ people: 0, embeddings: 0 });
    expect(await remove(processes[1], puid)).toBe(false);
  });

  it('leaves people of other customers and of the other world alone', async () => {
    const { processes } = await openTwo();
    const { puid } = await processes[0].people.enrol(candidate(makeFace(1)));
    for (const other of [liveOwner('another'), testOwner('c')]) {
      expect(await processes[0].people.remove(other, puid)).toBe(false);
    }
    expect((await identify(processes[1], makeFace(1))).matches).toHaveLength(1);
  });

  it('leaves either no one or the new person when racing with an enrollment of the same face', async () => {
    const { processes } = await openTwo();
    let { puid } = await processes[0].people.enrol(candidate(makeFace(1)));
    for (let round = 0; round < 10; round++) {
      const [one, other] = round % 2 === 0 ? processes : [processes[1], processes[0]];
      const [removed, enrollment, ...seen] = await Promise.all([
        remove(one, puid),
        other.people.enrol(candidate(makePicture(1, round))),
        identify(one, makeFace(1)),
        identify(other, makeFace(1)),
      ]);
      expect(removed).toBe(true);
      expect(enrollment.isNew).toBe(enrollment.puid !== puid);
      for (const { matches } of seen) {
        for (const match of matches) expect([puid, enrollment.puid]).toContain(match.puid);
      }
      const people = enrollment.isNew ? 1 : 0;
      expect(await countRows(one)).toEqual({ people, embeddings: people });
      for (const process of processes) {
        const { matches } = await identify(process, makeFace(1));
        expect(matches.map((match) => match.puid)).toEqual(enrollment.isNew ? [enrollment.puid] : []);
      }
      puid = enrollment.isNew ? enrollment.puid : (await one.people.enrol(candidate(makeFace(1)))).puid;
    }
  });
});

describe('search', () => {
  it('names a person with several embeddings once, by the most similar one', async () => {
    const { processes } = await openTwo();
    // Close enough to the probe to match, and far enough apart to be five people.
    const likeness = (i: number, picture: number) => 0.63 + 0.01 * ((i * 2) % 5) + 0.001 * picture;
    const vectors = (i: number) => Array.from({ length: 6 }, (_, at) => blendFaces(0, i, likeness(i, at), at));
    const puids: string[] = [];
    for (let i = 1; i <= 5; i++) puids.push((await processes[0].people.enrol(candidate(...vectors(i)))).puid);
    expect(new Set(puids).size).toBe(5);
    const probe = makeFace(0);
    const { matches } = await identify(processes[1], probe, 4);
    expect(new Set(matches.map(({ puid }) => puid)).size).toBe(4);
    const best = (i: number) => likeness(i, 5);
    const expected = [1, 2, 3, 4, 5].toSorted((a, b) => best(b) - best(a)).slice(0, 4);
    expect(matches.map(({ puid }) => puid)).toEqual(expected.map((i) => puids[i - 1]));
    for (const [at, { similarity }] of matches.entries()) expect(similarity).toBeCloseTo(best(expected[at]!), 5);
  });
});

describe('a fault between search and commit', () => {
  const steps = ['lockGallery', 'updateGallery'] as const;

  it.each(steps)('in %s is retried without loss or duplicates', async (step) => {
    const faults = createFaults();
    const process = await openPeopleProcess(await createPlace(), { wrapStore: (store) => faults.failAt(store, step) });
    faults.left = 2;
    const enrollment = await process.node.enroll({ ...REQUEST, vectors: [[...makeFace(1)]] });
    expect(enrollment).toMatchObject({ isNew: true });
    expect(faults.left).toBe(0);
    expect(await countRows(process)).toEqual({ people: 1, embeddings: 1 });
    expect(await process.database.queries.selectFrom('jobs').select('id').execute()).toEqual([]);
    expect((await identify(process, makeFace(1))).matches[0]?.puid).toBe(enrollment?.puid);
  });

  it('is reported after three attempts, with nothing stored', async () => {
    const faults = createFaults();
    const wrapStore = (store: PeopleStore) => faults.failAt(store, 'updateGallery');
    const process = await openPeopleProcess(await createPlace(), { wrapStore });
    faults.left = 100;
    await expect(process.node.enroll({ ...REQUEST, vectors: [[...makeFace(1)]] })).rejects.toThrow('enrollment failed');
    expect(faults.left).toBe(97);
    expect(await countRows(process)).toEqual({ people: 0, embeddings: 0 });
    expect(await process.database.queries.selectFrom('jobs').select('id').execute()).toEqual([]);
  });

  it.each([undefined, 'key'])(
    'after a commit whose answer was lost is found out (Idempotency-Key: %s)',
    async (key) => {
      let lost = 0;
      let jobsAtCommit: unknown;
      const process = await openPeopleProcess(await createPlace(), {
        wrapDatabase: (database) => ({
          ...database,
          async transact<T>(work: (trx: Transaction) => Promise<T>) {
            const result = await database.transact(work);
            if (lost-- > 0) {
              jobsAtCommit = await database.queries.selectFrom('jobs').select('id').execute();
              throw new Error('Connection terminated unexpectedly');
            }
            return result;
          },
        }),
      });
      lost = 1;
      const repeatable = key === undefined ? undefined : { key, content: 'digest' };
      const enrollment = await process.node.enroll({ ...REQUEST, vectors: [[...makeFace(1)]], repeatable });
      // Person and job are one commit, so another process could not run the job again.
      expect(jobsAtCommit).toEqual([]);
      const { matches } = await identify(process, makeFace(1));
      expect(matches.map(({ puid }) => puid)).toEqual([enrollment?.puid]);
      expect(await countRows(process)).toEqual({ people: 1, embeddings: 1 });
      expect(await process.database.queries.selectFrom('jobs').select('id').execute()).toEqual([]);
    },
  );

  it('leaves the person intact if it hits a deletion', async () => {
    const faults = createFaults();
    const wrapStore = (store: PeopleStore) => faults.failAt(store, 'updateGallery');
    const process = await openPeopleProcess(await createPlace(), { wrapStore });
    const { puid } = await process.people.enrol(candidate(makeFace(1), makePicture(1, 1)));
    faults.left = 1;
    await expect(remove(process, puid)).rejects.toThrow('injected');
    expect(await countRows(process)).toEqual({ people: 1, embeddings: 2 });
    expect((await identify(process, makeFace(1))).matches[0]?.puid).toBe(puid);
    expect(await remove(process, puid)).toBe(true);
    expect((await identify(process, makeFace(1))).matches).toEqual([]);
  });
});

/** Makes the first `left` calls of a step fail after doing their work. */
function createFaults() {
  const faults = {
    left: 0,
    failAt(store: PeopleStore, step: 'lockGallery' | 'updateGallery'): PeopleStore {
      const original = store[step] as (...given: unknown[]) => Promise<unknown>;
      const failing = async (...given: unknown[]) => {
        const result = await original(...given);
        if (faults.left > 0) {
          faults.left -= 1;
          throw new Error('injected');
        }
        return result;
      };
      return { ...store, [step]: failing };
    },
  };
  return faults;
}

// The index on real pgvector: exact answers, shared by all processes, no plain vector in its table.
import { PATIENCE } from '@limen/testing/patience.ts';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { type KyselyPlugin, type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PgliteServer } from '#testing/database/pglite-server.ts';
import { IS_PGLITE, startPgvectorServer } from '#testing/database/pgvector-server.ts';
import type { TestDatabase } from '#testing/database/test-database.ts';
import { liveOwner } from '#testing/owners.ts';
import { startTestApp } from '#testing/test-app.ts';
import { systemClock } from '../../../platform/base/clock.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { createIds, type PersonId, type Puid } from '../../../platform/base/ids.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { openStorage } from '../../../platform/storage.ts';
import { similarity, toUnitVector, vectorToBytes } from '../face-vectors.ts';
import { createEmbeddingSeal } from '../store/embeddings.ts';
import { ensureGallery, type GalleryRow } from '../store/galleries.ts';
import { createPeopleStore } from '../store/people.ts';
import { PgvectorIndex } from './pgvector.ts';
import { createGraphs, listGraphs } from './pgvector-graphs.ts';

let server: PgliteServer;
/** Shared by tests with galleries of their own, because migrating PGlite takes over a second. */
let sharedPlace: TestDatabase;
/** Each test uses its own customer. */
let customer = 0;
beforeAll(async () => {
  server = await startPgvectorServer();
  sharedPlace = await server.createDatabase();
});
beforeEach(() => void customer++);
afterAll(async () => {
  await sharedPlace.dispose();
  await server.close();
});

const ids = createIds(systemClock);
const EVERYTHING = { k: 100, minSimilarity: -1 };

async function createPlace(): Promise<TestDatabase> {
  const place = await server.createDatabase();
  onTestFinished(place.dispose);
  return place;
}

/** Runs between the two statements of a search with near ties. */
function interruptOnce(work: () => Promise<void>): KyselyPlugin {
  let done = false;
  return {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!done && result.rows[0] && 'score' in result.rows[0]) {
        done = true;
        await work();
      }
      return result;
    },
  };
}

type Process = Awaited<ReturnType<typeof openProcess>>;

interface ProcessOptions {
  afterFirstScan?: () => Promise<void>;
  mayMiss?: boolean;
}

/** Resources of one server process: connections, keys and an index. */
async function openProcess(place: TestDatabase, { afterFirstScan, mayMiss = false }: ProcessOptions = {}) {
  const { database, sealer } = await openStorage({ ...place, masterKey: undefined, clock: systemClock, ids });
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const store = createPeopleStore(database, sealer, log);
  const seal = createEmbeddingSeal(sealer);
  const queries = afterFirstScan ? database.queries.withPlugin(interruptOnce(afterFirstScan)) : database.queries;
  const index = new PgvectorIndex({ database: { ...database, queries }, sealer, store, log, mayMiss });
  onTestFinished(async () => {
    await index.close();
    await database.close();
  });

  /** Current row of a gallery, created on demand. */
  async function galleryOf(dimensions: number, modelVersion = 'm'): Promise<GalleryRow> {
    const owner = liveOwner(`customer-${customer}`);
    return ensureGallery(store, { ids, clock: { now: () => 1 } }, { owner, modelVersion, dimensions });
  }

  /** Adds a person with these vectors, without the index, like a process that searches in memory. */
  async function enroll(galleryId: string, vectors: Float32Array[], { indexed = true } = {}): Promise<PersonId> {
    return database.transact(async (trx) => {
      const gallery = (await store.lockGallery(trx, galleryId))!;
      const names = { id: ids.sortable<PersonId>(), puid: ids.random<Puid>() };
      const person = { ...names, gallery_id: galleryId, identifier_digest: null, enroll_level: 1, created_at: 1 };
      await store.insertPerson(trx, { ...person, provisional_session: null });
      const added = vectors.map((vector, at) => ({ seq: gallery.version + 1 + at, vector, id: ids.random() }));
      const rows = added.map(({ seq, vector, id }) => ({ seq, id, sealed: seal.seal(id, vector) }));
      await store.insertEmbeddings(trx, galleryId, person.id, rows);
      if (indexed) await index.addInTransaction(trx, gallery, added);
      await store.updateGallery(trx, { ...gallery, version: gallery.version + vectors.length });
      return person.id;
    });
  }

  const remove = (personId: PersonId) => database.transact((trx) => store.deletePerson(trx, personId));
  const select = async <Row>(query: RawBuilder<Row>) => (await query.execute(database.queries)).rows;
  return { database, sealer, index, galleryOf, enrol: enroll, remove, select, logged: () => lines.join('') };
}

async function startProcess(place: TestDatabase): Promise<Process> {
  const process = await openProcess(place);
  await process.index.prepare();
  await process.index.load();
  return process;
}

/** Deterministic unrelated unit vectors. */
function vectorOf(dimensions: number, seed: number): Float32Array {
  let state = (seed * 2_654_435_761 + 99) >>> 0;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return toUnitVector(Array.from({ length: dimensions }, next))!;
}

/** Vectors around a few directions: some equal, some closer than single precision resolves. */
function faceNear(dimensions: number, { of, step }: { of: number; step: number }, at: number): Float32Array {
  const away = vectorOf(dimensions, 1_000 + at);
  return toUnitVector([...vectorOf(dimensions, of)].map((value, index) => value + step * away[index]!))!;
}

/** Result of a scan in double precision, for vectors numbered from one. */
function scan(vectors: Float32Array[], probe: Float32Array, { k, minSimilarity }: typeof EVERYTHING) {
  return vectors
    .map((vector, at) => ({ key: at + 1, similarity: similarity(vector, probe) }))
    .filter((hit) => hit.similarity >= minSimilarity)
    .sort((left, right) => right.similarity - left.similarity || left.key - right.key)
    .slice(0, k);
}

const countVectors = sql<{ count: number }>`select count(*) as count from gallery_half_vectors`;

describe('search results', () => {
  it('equal a full scan in double precision, with ties, near ties and an exactly met threshold', async () => {
    const arbitrary = fc.record({
      dimensions: fc.constantFrom(128, 131, 512),
      faces: fc.array(fc.record({ of: fc.nat(5), step: fc.constantFrom(0, 0, 1e-8, 1e-7, 1e-6, 0.1) }), {
        minLength: 1,
        maxLength: 60,
      }),
      probe: fc.record({ of: fc.nat(6), step: fc.constantFrom(0, 1e-6, 0.3) }),
      k: fc.integer({ min: 1, max: 12 }),
      threshold: fc.oneof(fc.constantFrom(-1, 0, 0.99), fc.integer({ min: 2 })),
    });
    const { index, enrol: enroll, galleryOf } = await startProcess(sharedPlace);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ dimensions, faces, probe: place, k, threshold }) => {
        const model = `round ${round++}`;
        const vectors = faces.map((given, at) => faceNear(dimensions, given, at));
        await enroll((await galleryOf(dimensions, model)).id, vectors);
        const probe = faceNear(dimensions, place, -1);
        const minSimilarity = threshold > 1 ? similarity(vectors[threshold % vectors.length]!, probe) : threshold;
        const hits = await index.search(await galleryOf(dimensions, model), probe, { k, minSimilarity });
        expect(hits).toEqual(scan(vectors, probe, { k, minSimilarity }));
      }),
      { numRuns: onlyWhenLong(40, 3) },
    );
  });

  it('are the best of more near ties than the first fetch returns, and the first of equal ones', async () => {
    const { index, enrol: enroll, galleryOf } = await startProcess(sharedPlace);
    const vectors = Array.from({ length: 600 }, (_, at) => faceNear(128, { of: 1, step: at < 300 ? 1e-7 : 0 }, at));
    await enroll((await galleryOf(128)).id, vectors);
    const gallery = await galleryOf(128);
    for (const probe of [vectorOf(128, 1), vectorOf(128, 2)]) {
      for (const k of [1, 5, 400, 1_000]) {
        const search = { k, minSimilarity: -1 };
        expect(await index.search(gallery, probe, search)).toEqual(scan(vectors, probe, search));
      }
    }
  });

  it('are complete when near ties are deleted during a search', async () => {
    const place = sharedPlace;
    const first = await startProcess(place);
    const gallery = await first.galleryOf(128);
    const probe = vectorOf(128, 1);
    const ties: PersonId[] = [];
    for (let tie = 0; tie < 40; tie++) ties.push(await first.enrol(gallery.id, [probe]));
    const other = faceNear(128, { of: 1, step: 0.4 }, 1);
    await first.enrol(gallery.id, [other]);
    const afterFirstScan = async () => {
      for (const personId of ties) await first.remove(personId);
    };
    const second = await openProcess(place, { afterFirstScan });
    await second.index.prepare();
    const hits = await second.index.search(await second.galleryOf(128), probe, { k: 1, minSimilarity: 0.5 });
    expect(hits).toEqual([{ key: 41, similarity: similarity(probe, other) }]);
  });

  it('cover only the given embeddings, without deleted ones', async () => {
    const { index, enrol: enroll, remove, galleryOf } = await startProcess(sharedPlace);
    const vectors = [1, 2, 3, 4].map((seed) => vectorOf(128, seed));
    const { id } = await galleryOf(128);
    for (const vector of vectors.slice(0, 3)) await enroll(id, [vector]);
    await remove(await enroll(id, [vectors[3]!]));
    const gallery = await galleryOf(128);
    const seqs = Array.from({ length: 1_200 }, (_, at) => 1_200 - at).filter((seq) => seq !== 2);
    const expected = scan(vectors, vectors[0]!, EVERYTHING).filter(({ key }) => key === 1 || key === 3);
    expect(await index.compare(gallery, vectors[0]!, seqs)).toEqual(expected);
    expect(await index.compare(gallery, vectors[0]!, [])).toEqual([]);
  });

  it('come from the requested gallery when others with other dimensions share the table', async () => {
    const { index, enrol: enroll, galleryOf, select } = await startProcess(sharedPlace);
    for (const dimensions of [128, 512, 200]) {
      await enroll((await galleryOf(dimensions)).id, [vectorOf(dimensions, 1), vectorOf(dimensions, 2)]);
    }
    await select(sql`analyze gallery_half_vectors`);
    for (const dimensions of [128, 512, 200]) {
      const hits = await index.search(await galleryOf(dimensions), vectorOf(dimensions, 2), {
        k: 5,
        minSimilarity: 0.9,
      });
      expect(hits.map(({ key }) => key)).toEqual([2]);
    }
  });

  it('leave out and report a damaged sealed row', async () => {
    const { index, enrol: enroll, galleryOf, select, logged } = await startProcess(await createPlace());
    await enroll((await galleryOf(128)).id, [vectorOf(128, 1), vectorOf(128, 2)]);
    await select(sql`update embeddings set sealed = substr(sealed, 1, 99) where seq = 1`);
    const hits = await index.search(await galleryOf(128), vectorOf(128, 1), EVERYTHING);
    expect(hits.map(({ key }) => key)).toEqual([2]);
    expect(logged()).toContain('an embedding cannot be read');
  });
});

describe('several processes', () => {
  it("see each other's enrollments and deletions immediately", async () => {
    const place = await createPlace();
    const [one, other] = [await startProcess(place), await startProcess(place)];
    const face = vectorOf(512, 1);
    const findInOther = async () => (await other.index.search(await other.galleryOf(512), face, EVERYTHING)).length;
    const { id } = await one.galleryOf(512);
    expect(await findInOther()).toBe(0);
    const person = await one.enrol(id, [face, vectorOf(512, 2)]);
    expect(await findInOther()).toBe(2);
    await one.remove(person);
    expect(await findInOther()).toBe(0);
    expect(await one.select(countVectors)).toEqual([{ count: 0 }]);
  });

  it('miss nothing that a process without pgvector enrolls', async () => {
    const [one, other] = [await startProcess(sharedPlace), await startProcess(sharedPlace)];
    const { id } = await one.galleryOf(128);
    await one.enrol(id, [vectorOf(128, 1)]);
    await one.enrol(id, [vectorOf(128, 2)], { indexed: false });
    for (const { index, galleryOf } of [one, other]) {
      expect(await index.search(await galleryOf(128), vectorOf(128, 2), EVERYTHING)).toHaveLength(2);
    }
  });
});

function forbidScans(url: string): string {
  const address = new URL(url);
  address.searchParams.set(
    'options',
    `${address.searchParams.get('options')} -c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off`,
  );
  return address.href;
}

// Only in the long run on a real server: PGlite takes as long as for all other tests together.
describe.skipIf(IS_PGLITE)('a graph', () => {
  it('selects candidates where allowed, with exact results', async () => {
    const exact = await startProcess(sharedPlace);
    // The planner would scan a gallery as small as this.
    const loose = await openProcess({ ...sharedPlace, url: forbidScans(sharedPlace.url!) }, { mayMiss: true });
    await loose.index.prepare();
    const vectors = Array.from({ length: 400 }, (_, at) => vectorOf(128, at));
    await exact.enrol((await exact.galleryOf(128)).id, vectors);
    // A vector of another gallery with other dimensions is in neither the graph nor the results.
    await exact.enrol((await exact.galleryOf(256)).id, [vectorOf(256, 1)]);
    const gallery = await exact.galleryOf(128);
    const graphs = createGraphs(exact.database, 'public');
    await graphs.make(gallery, 64);
    expect(await listGraphs(exact.database.queries)).toEqual(new Set([gallery.id]));
    await exact.select(sql`analyze gallery_half_vectors`);

    const countScans = async () => {
      await exact.select(sql`select pg_stat_force_next_flush()`);
      const name = `gallery_graph_${gallery.id}`;
      return exact.select(sql`select idx_scan as scans from pg_stat_user_indexes where indexrelname = ${name}`);
    };
    for (const at of [0, 57, 399]) {
      const probe = faceNear(128, { of: at, step: 0.3 }, at);
      const [best] = await loose.index.search(gallery, probe, { k: 1, minSimilarity: 0.5 });
      expect(best).toEqual({ key: at + 1, similarity: similarity(vectors[at]!, probe) });
      expect(await exact.index.search(gallery, probe, { k: 3, minSimilarity: -1 })).toEqual(
        scan(vectors, probe, { k: 3, minSimilarity: -1 }),
      );
    }
    expect(await loose.index.search(gallery, vectorOf(128, 1_234), { k: 5, minSimilarity: 0.9 })).toEqual([]);
    // A connection reports its statistics after a moment of idling.
    await vi.waitFor(async () => expect(await countScans()).toEqual([{ scans: 4 }]), PATIENCE);

    // Larger K than a graph supports: scanned, and exact again.
    const many = { k: 300, minSimilarity: -1 };
    expect(await loose.index.search(gallery, vectors[5]!, many)).toEqual(scan(vectors, vectors[5]!, many));
    await graphs.drop(gallery.id);
    expect(await listGraphs(exact.database.queries)).toEqual(new Set());
    const [still] = await loose.index.search(gallery, vectors[5]!, { k: 1, minSimilarity: 0.5 });
    expect(still).toMatchObject({ key: 6 });
  });

  it('is rebuilt if its creation was interrupted', async () => {
    const { database, enrol: enroll, galleryOf, select } = await startProcess(sharedPlace);
    const { id } = await galleryOf(128);
    await enroll(id, [vectorOf(128, 1)]);
    const graphs = createGraphs(database, 'public');
    await graphs.make({ id, dimensions: 128 }, 64);
    // Leaves the state of an interrupted creation.
    await select(sql`
      update pg_index set indisvalid = false where indexrelid = ${`"gallery_graph_${id}"`}::regclass`);
    expect(await listGraphs(database.queries)).toEqual(new Set());
    await graphs.make({ id, dimensions: 128 }, 64);
    expect(await listGraphs(database.queries)).toEqual(new Set([id]));
  });
});

it('serves the whole biometric node from two services', async () => {
  const database = await createPlace();
  const environment = { VECTOR_STORE: 'pgvector', DEV_API_KEY: 'a-key-for-two-services' };
  const [one, two] = [await startTestApp({ database, environment }), await startTestApp({ database, environment })];
  await one.apiKeys.ensureDevelopmentKey(environment.DEV_API_KEY);
  const post = async ({ http }: typeof one, operation: string, fields: object) => {
    const body = { api_key: environment.DEV_API_KEY, ...fields };
    return (await http.inject({ method: 'POST', url: `/node/${operation}`, payload: body })).json();
  };
  const faceOf = (seed: number) => ({
    embedding_vector: Array.from({ length: 128 }, (_, i) => Math.sin(seed * i * i)),
  });

  const enrolled = await Promise.all([one, two, one].map((app) => post(app, 'plainEnroll', { features: faceOf(1) })));
  const puids = new Set(enrolled.map(({ puid }) => puid));
  expect(enrolled.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(puids.size).toBe(1);
  const [puid] = puids;
  expect(await post(two, 'plainPredict', { features: faceOf(1), K: 3 })).toMatchObject({
    PI_list: [{ puid, score: 1 }],
  });
  expect(await post(two, 'plainPredict', { features: faceOf(2) })).toMatchObject({ status: -1 });
  expect(await post(two, 'deleteUser', { puid })).toMatchObject({ message: 'delete successful' });
  expect(await post(one, 'plainPredict', { features: faceOf(1) })).toMatchObject({ status: -1 });
});

describe('starting', () => {
  it('loads people enrolled before pgvector was enabled, and searches wait for them', async () => {
    const place = await createPlace();
    const before = await openProcess(place);
    const small = Array.from({ length: 150 }, (_, at) => vectorOf(128, at));
    await before.enrol((await before.galleryOf(128)).id, small, { indexed: false });
    await before.enrol((await before.galleryOf(512)).id, [vectorOf(512, 1)], { indexed: false });

    const { index, galleryOf, select, logged } = await openProcess(place);
    await index.prepare();
    expect(index.state()).toMatch(/^loading faces/);
    const early = index.search(await galleryOf(128), small[149]!, EVERYTHING);
    await index.load();
    expect(index.state()).toBe('ready');
    expect(await early).toEqual(scan(small, small[149]!, EVERYTHING));
    expect(await select(countVectors)).toEqual([{ count: 151 }]);
    expect(logged()).toContain('"embeddings":151');
  });

  it('names the missing grant if the role may not create or use the extension', async () => {
    const { sealer, index, select } = await openProcess(await createPlace());
    await select(sql`drop extension if exists vector cascade`);
    await select(sql`create role restricted`);
    const startRestricted = async () => {
      const database = openDatabase({ url: server.url('public', { role: 'restricted' }), dataDir: '' });
      onTestFinished(() => database.close());
      const log = pino({ enabled: false });
      const restricted = new PgvectorIndex({
        database,
        sealer,
        store: createPeopleStore(database, sealer, log),
        log,
        mayMiss: false,
      });
      const failure = await restricted.prepare().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StartError);
      return (failure as Error).message;
    };
    expect(await startRestricted()).toContain('CREATE EXTENSION vector');
    await index.prepare();
    await select(sql`revoke usage on schema public from public`);
    expect(await startRestricted()).toContain('USAGE');
    await select(sql`grant usage on schema public to public`);
    await select(sql`drop role restricted`);
  });
});

describe('the table of vectors', () => {
  it('holds no plain vector, and no two galleries alike', async () => {
    const { enrol: enroll, galleryOf, select } = await startProcess(await createPlace());
    const face = vectorOf(512, 1);
    for (const model of ['a', 'b']) await enroll((await galleryOf(512, model)).id, [face]);
    const rows = await select(sql<{ numbers: string }>`select vector::text as numbers from gallery_half_vectors`);
    const [one, other] = rows.map(({ numbers }) => Float32Array.from(JSON.parse(numbers) as number[]));
    expect(similarity(one!, one!)).toBeCloseTo(1, 3);
    // Unrelated directions in 512 dimensions have a deviation of 0.044.
    expect(Math.abs(similarity(one!, face))).toBeLessThan(0.25);
    expect(Math.abs(similarity(one!, other!))).toBeLessThan(0.25);
  });

  it('has no bytes of a plain vector in rows or pages', async () => {
    const { enrol: enroll, galleryOf, select } = await startProcess(await createPlace());
    const face = vectorOf(256, 1);
    await enroll((await galleryOf(256)).id, [face]);
    const halves = Buffer.from(new Float16Array(face).buffer);
    const pieces = [vectorToBytes(face), vectorToBytes(face).swap32(), halves].flatMap((bytes) =>
      Array.from({ length: bytes.length / 8 }, (_, at) => bytes.subarray(at * 8, at * 8 + 8)),
    );
    await select(sql`checkpoint`);
    const [stored] = await select(
      sql<{ page: Buffer }>`select pg_read_binary_file(pg_relation_filepath('gallery_half_vectors')) as page`,
    );
    expect(stored!.page.length).toBeGreaterThanOrEqual(8_192);
    for (const piece of pieces) expect(stored!.page.includes(piece)).toBe(false);
  });

  it('is in our schema and in the main pages, with the extension in another schema', async () => {
    const place = await createPlace();
    const { select } = await startProcess(place);
    const [row] = await select(sql`
      select attstorage, relnamespace::regnamespace::text = current_schema as ours, typnamespace::regnamespace::text as type
      from pg_attribute join pg_class on pg_class.oid = attrelid join pg_type on pg_type.oid = atttypid
      where attrelid = 'gallery_half_vectors'::regclass and attname = 'vector'`);
    expect(row).toEqual({ attstorage: 'p', ours: true, type: 'public' });
  });
});

describe.runIf(IS_PGLITE)('the test server', () => {
  it('rolls back a disconnected client and gives each client its own settings', async () => {
    const place = await createPlace();
    const [one, other] = [place.url, server.url('public')].map((url) => new pg.Client({ connectionString: url }));
    onTestFinished(() => other!.end());
    await Promise.all([one!.connect(), other!.connect()]);
    await one!.query('begin');
    await one!.query('create table unfinished (id int)');
    one!.on('error', () => {});
    one!.connection.stream.destroy();
    const { rows } = await other!.query(
      "select current_setting('search_path') as path, count(*) as tables from pg_tables where tablename = 'unfinished'",
    );
    expect(rows).toEqual([{ path: 'public', tables: '0' }]);
  });
});

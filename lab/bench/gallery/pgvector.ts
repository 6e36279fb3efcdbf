// `npm run bench:pgvector`: a gallery in real pgvector, searched exactly and with a graph, compared
// with the index in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGalleryEngine, type Hit } from '@limen/gallery';
import { sql } from 'kysely';
import type { FaceIndex } from '../../../apps/server/src/faces/galleries/index/face-index.ts';
import { PgvectorIndex } from '../../../apps/server/src/faces/galleries/index/pgvector.ts';
import { createGraphs } from '../../../apps/server/src/faces/galleries/index/pgvector-graphs.ts';
import { preparePgvector } from '../../../apps/server/src/faces/galleries/index/pgvector-tables.ts';
import { createEmbeddingSeal } from '../../../apps/server/src/faces/galleries/store/embeddings.ts';
import { ensureGallery, type GalleryRow } from '../../../apps/server/src/faces/galleries/store/galleries.ts';
import { createPeopleStore } from '../../../apps/server/src/faces/galleries/store/people.ts';
import { systemClock } from '../../../apps/server/src/platform/base/clock.ts';
import { createIds, type PersonId, type Puid } from '../../../apps/server/src/platform/base/ids.ts';
import { createLogSink } from '../../../apps/server/src/platform/base/logging.ts';
import { openDatabase } from '../../../apps/server/src/platform/database/database.ts';
import { NO_TIMEOUTS } from '../../../apps/server/src/platform/database/postgres-connections.ts';
import { openStorage } from '../../../apps/server/src/platform/storage.ts';
import { liveOwner } from '../../../apps/server/testing/owners.ts';
import { provideRequirementOrExit } from '../../../scripts/bring-up.ts';
import { startPgvectorCluster } from '../../../scripts/pgvector-root.ts';
import { median, milliseconds, quantile } from '../shared/figures.ts';
import { readArguments } from '../shared/read-arguments.ts';
import { createFaces, DIMENSIONS } from './data.ts';
import { createRecall, createTruth } from './truth.ts';

const { values } = readArguments({
  name: 'bench:pgvector',
  does: 'a gallery in pgvector 0.8 on PostgreSQL 17, exactly and by a graph, beside the index in memory',
  takes: 'about ten minutes',
  options: {
    quick: { type: 'boolean', does: 'take 20,000 vectors instead of 100,000' },
    million: { type: 'boolean', does: 'take a million, which takes hours and 8 GB' },
  },
});
const SIZE = values.million ? 1_000_000 : values.quick ? 20_000 : 100_000;
const PROBES = 100;
/** Match threshold of small galleries. */
const THRESHOLD = 0.6;
const CHUNK = 500;
const MEMORY_MB = values.million ? 4_096 : 1_024;

const root = provideRequirementOrExit('pgvector', 'bench:pgvector');
const cluster = await startPgvectorCluster(root, { shared_buffers: values.million ? '4GB' : '512MB' });
const dataDir = mkdtempSync(join(tmpdir(), 'limen-bench-'));
try {
  await measure();
} finally {
  await cluster.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const ids = createIds(systemClock);
  const { database, sealer } = await openStorage({
    ...{ url: cluster.url, dataDir, masterKey: undefined, clock: systemClock, ids },
  });
  const { log } = createLogSink('silent');
  const store = createPeopleStore(database, sealer, log);
  const seal = createEmbeddingSeal(sealer);
  const common = { database, sealer, store, log };
  const exact = new PgvectorIndex({ ...common, mayMiss: false });
  const loose = new PgvectorIndex({ ...common, mayMiss: true });
  await exact.prepare();
  await loose.prepare();
  const engine = createGalleryEngine();
  const memory = engine.createGallery(DIMENSIONS);
  const faces = createFaces(SIZE);
  const probes = faces.probes(PROBES);
  const truth = createTruth(probes);
  console.log(`${SIZE} vectors of ${DIMENSIONS} numbers, ${cluster.version}, ${availableParallelism()} cores\n`);

  const owner = liveOwner('bench');
  const kind = { owner, modelVersion: 'FACE3_3', dimensions: DIMENSIONS };
  const { id: galleryId } = await ensureGallery(store, { ids, clock: { now: () => 1 } }, kind);
  const start = performance.now();
  for (let from = 0; from < SIZE; from += CHUNK) await enroll(from);
  await loose.load();
  await sql`vacuum analyze gallery_half_vectors`.execute(database.queries);
  const gallery = (await store.findGallery(owner, 'FACE3_3', DIMENSIONS))!;
  console.log(`sealed, rotated and written in ${seconds(performance.now() - start)}; ${await describeSizes()}`);

  const remembered: Pick<FaceIndex, 'search'> = { search: (_, probe, search) => memory.search(probe, search) };
  const inMemory = await measureIndex('in memory, exact', remembered, gallery);
  await measureIndex('pgvector, exact', exact, gallery, inMemory);
  const unhurried = openDatabase({ url: cluster.url, dataDir, timeouts: NO_TIMEOUTS });
  const building = performance.now();
  await createGraphs(unhurried, await preparePgvector(unhurried)).make(gallery, MEMORY_MB);
  await unhurried.close();
  console.log(`graph made in ${seconds(performance.now() - building)}; ${await describeSizes()}`);
  await measureIndex('pgvector, by the graph', loose, gallery, inMemory);
  await Promise.all([exact.close(), loose.close(), engine.close()]);
  await database.close();

  async function enroll(from: number): Promise<void> {
    await database.transact(async (trx) => {
      const row = (await store.lockGallery(trx, galleryId))!;
      const person = { id: ids.sortable<PersonId>(), puid: ids.random<Puid>(), identifier_digest: null };
      const more = { enroll_level: CHUNK, created_at: 1, gallery_id: galleryId, provisional_session: null };
      await store.insertPerson(trx, { ...person, ...more });
      const added = Array.from({ length: CHUNK }, (_, at) => ({
        ...{ seq: row.version + 1 + at, vector: faces.enrolled(from + at), id: ids.random() },
      }));
      const sealed = added.map(({ seq, vector, id }) => ({ seq, id, sealed: seal.seal(id, vector) }));
      await store.insertEmbeddings(trx, galleryId, person.id, sealed);
      await exact.addInTransaction(trx, row, added);
      const embeddings = row.embeddings + CHUNK;
      await store.updateGallery(trx, { ...row, version: row.version + CHUNK, embeddings });
      for (const { seq, vector } of added) {
        memory.insert(seq, vector);
        truth.see(seq, vector);
      }
    });
  }

  async function describeSizes(): Promise<string> {
    const { rows } = await sql<{ vectors: number; all: number }>`
      select pg_relation_size('gallery_half_vectors') as vectors, pg_total_relation_size('gallery_half_vectors') as all
    `.execute(database.queries);
    const each = (bytes: number) => `${Math.round(Number(bytes) / SIZE)} bytes`;
    return `${each(rows[0]!.vectors)} a vector in the table, ${each(rows[0]!.all)} with its indexes`;
  }

  async function measureIndex(name: string, index: Pick<FaceIndex, 'search'>, row: GalleryRow, beside?: number) {
    let first = Number.NaN;
    for (const minSimilarity of [THRESHOLD, -1]) {
      const search = { k: 10, minSimilarity };
      for (const probe of probes.slice(0, 10)) await index.search(row, probe, search); // warm-up
      const recall = createRecall();
      const times: number[] = [];
      for (const [at, probe] of probes.entries()) {
        const from = performance.now();
        const hits: Hit[] = await index.search(row, probe, search);
        times.push(performance.now() - from);
        recall.count(
          truth.best(at, 10, minSimilarity),
          hits.map(({ key }) => key),
        );
      }
      const p50 = median(times);
      if (Number.isNaN(first)) first = p50;
      const ratio = beside === undefined ? '' : `  ${(p50 / beside).toFixed(1)} × the memory`;
      const what = minSimilarity === -1 ? 'no threshold' : `threshold ${minSimilarity}`;
      console.log(
        `  ${`${name}, ${what}`.padEnd(42)} p50 ${milliseconds(p50).padStart(9)}  p99 ${milliseconds(quantile(times, 0.99)).padStart(9)}  ` +
          `recall ${recall.share.toFixed(4)}${ratio}`,
      );
    }
    return first;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(0)} s`;
}

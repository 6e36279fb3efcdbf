// Galleries for the node benchmark: the same faces in the service's database, sealed, and in a bare
// index.
import { DatabaseSync } from 'node:sqlite';
import { createGalleryEngine, type Gallery, type GalleryEngine } from '@limen/gallery';
import { toUnitVector } from '../../../apps/server/src/faces/galleries/face-vectors.ts';
import { createBulkReader } from '../../../apps/server/src/faces/galleries/index/bulk-reader.ts';
import { createMemoryIndex } from '../../../apps/server/src/faces/galleries/index/memory.ts';
import { createEmbeddingSeal } from '../../../apps/server/src/faces/galleries/store/embeddings.ts';
import { ensureGallery } from '../../../apps/server/src/faces/galleries/store/galleries.ts';
import { createPeopleStore } from '../../../apps/server/src/faces/galleries/store/people.ts';
import { createPeopleSeals } from '../../../apps/server/src/faces/galleries/store/row-seals.ts';
import { createApiKeys } from '../../../apps/server/src/platform/api-keys/api-keys.ts';
import { toOwner } from '../../../apps/server/src/platform/api-keys/owner.ts';
import { createApiKeyStore } from '../../../apps/server/src/platform/api-keys/store.ts';
import { systemClock } from '../../../apps/server/src/platform/base/clock.ts';
import { createIds, type PersonId, type Puid } from '../../../apps/server/src/platform/base/ids.ts';
import { createLogSink } from '../../../apps/server/src/platform/base/logging.ts';
import { sqliteFile } from '../../../apps/server/src/platform/database/database.ts';
import { openStorage } from '../../../apps/server/src/platform/storage.ts';
import { DIMENSIONS, type Faces } from '../gallery/data.ts';

export const API_KEY = 'limen-bench-node-key';
export const MODEL_VERSION = 'FACE3_3';
const CUSTOMER = 'bench';
const PEOPLE_PER_TRANSACTION = 5_000;

export interface Filled {
  engine: GalleryEngine;
  /** The bare index. */
  gallery: Gallery;
  fillSeconds: number;
  insertsPerSecond: number;
  /** Time to read and open every row into an index, as at a start of the service. */
  loadSeconds: number;
  loadCpuSeconds: number;
}

/** Creates a database in `dataDir` with one person per face, and a bare index of them. */
export async function fill(dataDir: string, faces: Faces, size: number): Promise<Filled> {
  const begun = performance.now();
  const clock = systemClock;
  const ids = createIds(clock);
  const { database, sealer } = await openStorage({ url: undefined, dataDir, masterKey: undefined, clock, ids });
  const log = createLogSink('warn').log;
  const keys = createApiKeys({
    store: createApiKeyStore(database, sealer, log),
    sealer,
    clock,
    ids,
    allowDevelopmentKeys: true,
  });
  const { record } = await keys.create({
    kind: 'development',
    value: API_KEY,
    customerId: CUSTOMER,
    clientCredentials: false,
  });
  const store = createPeopleStore(database, sealer, log);
  const seal = createEmbeddingSeal(sealer);
  const kind = { owner: toOwner(record), modelVersion: MODEL_VERSION, dimensions: DIMENSIONS };
  const stored = await ensureGallery(store, { ids, clock }, kind);

  // Without Kysely, whose statement building would dominate the time.
  const writer = new DatabaseSync(sqliteFile(dataDir));
  writer.exec('pragma synchronous = off');
  const seals = createPeopleSeals(sealer, log);
  const insertPerson = writer.prepare(
    'insert into people (id, gallery_id, puid, enroll_level, created_at, mac) values (?, ?, ?, 1, ?, ?)',
  );
  const insertEmbedding = writer.prepare(
    'insert into embeddings (gallery_id, seq, id, person_id, sealed, mac) values (?, ?, ?, ?, ?, ?)',
  );
  const engine = createGalleryEngine();
  const gallery = engine.createGallery(DIMENSIONS);
  let insertMs = 0;
  for (let from = 0; from < size; from += PEOPLE_PER_TRANSACTION) {
    const vectors = Array.from({ length: PEOPLE_PER_TRANSACTION }, (_, i) => unitVector(faces.enrolled(from + i)));
    const start = performance.now();
    for (const [i, vector] of vectors.entries()) gallery.insert(from + i + 1, vector);
    insertMs += performance.now() - start;
    writer.exec('begin');
    for (const [i, vector] of vectors.entries()) {
      const [personId, id] = [ids.sortable<PersonId>(), ids.random()];
      const [puid, now, seq] = [ids.random<Puid>(), clock.now(), from + i + 1];
      const fixed = { id: personId, gallery_id: stored.id, puid, enroll_level: 1, created_at: now };
      const person = seals.people.sign({ ...fixed, identifier_digest: null, provisional_session: null });
      insertPerson.run(personId, stored.id, puid, now, person.mac);
      const { mac } = seals.embeddings.sign({ gallery_id: stored.id, seq, id, person_id: personId });
      insertEmbedding.run(stored.id, seq, id, personId, seal.seal(id, vector), mac);
    }
    writer.exec('commit');
  }
  const counts = { version: size, logFloor: 0, people: size, embeddings: size };
  await database.transact(async (trx) => {
    await store.updateGallery(trx, { ...(await store.lockGallery(trx, stored.id))!, ...counts });
  });
  writer.close();
  await database.checkpoint();
  const fillSeconds = (performance.now() - begun) / 1000;

  const bulkReader = createBulkReader({ url: undefined, dataDir, keys: sealer.keysForThread });
  const index = createMemoryIndex({ store, seal, bulkReader, engine: createGalleryEngine(), log });
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await index.load();
  const loadSeconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await index.close();
  await database.close();
  return {
    engine,
    gallery,
    fillSeconds,
    insertsPerSecond: size / (insertMs / 1000),
    loadSeconds,
    loadCpuSeconds: (user + system) / 1e6,
  };
}

/** As stored and compared by the service. */
export function unitVector(values: Float32Array): Float32Array {
  const vector = toUnitVector(Array.from(values));
  if (!vector) throw new Error('a made-up face is not usable');
  return vector;
}

// One server process's access to people: connections, a separate index, and the biometric node's
// jobs.
import { createGalleryEngine, type Gallery, type GalleryEngine } from '@limen/gallery';
import { onTestFinished } from 'vitest';
import { createBulkReader } from '../../src/faces/galleries/index/bulk-reader.ts';
import { createMemoryIndex } from '../../src/faces/galleries/index/memory.ts';
import { People } from '../../src/faces/galleries/people.ts';
import { createEmbeddingSeal } from '../../src/faces/galleries/store/embeddings.ts';
import { createPeopleStore, type PeopleStore } from '../../src/faces/galleries/store/people.ts';
import { createMatchThresholds } from '../../src/faces/models/match-threshold.ts';
import { createBiometricNode } from '../../src/faces/node/service.ts';
import { type Clock, systemClock } from '../../src/platform/base/clock.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { testContext } from '../test-context.ts';

/** MASTER_KEY in base64 for a server that shares a database with these processes */
export const TEST_MASTER_KEY = Buffer.alloc(32, 1);

interface PeopleProcessOptions {
  /** Polling interval; effectively never by default */
  pollMs?: number;
  leastForThreads?: number;
  maxEmbeddings?: number;
  memoryBytes?: number;
  clock?: Clock;
  /** Injects faults. */
  wrapStore?: (store: PeopleStore) => PeopleStore;
  wrapDatabase?: (database: Database) => Database;
}

export type PeopleProcess = Awaited<ReturnType<typeof openPeopleProcess>>;

/** Opens a process that is closed when the test ends. */
export async function openPeopleProcess(place: TestDatabase, options: PeopleProcessOptions = {}) {
  const { pollMs = 3_600_000, maxEmbeddings = 1_000_000, clock = systemClock, leastForThreads } = options;
  const { wrapStore = same, wrapDatabase, memoryBytes } = options;
  const context = await testContext(place, { clock, masterKey: TEST_MASTER_KEY, wrapDatabase });
  const { database, sealer, idempotency, jobs, log, presence, logged } = context;
  const store = wrapStore(createPeopleStore(database, sealer, log));
  const seal = createEmbeddingSeal(sealer);
  const bulkReader = createBulkReader({ ...place, keys: sealer.keysForThread, threads: 2 });
  const { engine, galleries } = watchGalleries(createGalleryEngine({ threads: 0 }));
  const index = createMemoryIndex({ store, seal, bulkReader, engine, log, pollMs, leastForThreads, memoryBytes });
  const people = new People(context, {
    store,
    index,
    thresholds: createMatchThresholds(),
    maxEmbeddings,
    onRemove: (trx, personId) => idempotency.forget(trx, `people/${personId}`),
    settleTokens: async () => {},
  });
  const node = createBiometricNode(people, jobs, idempotency);
  onTestFinished(async () => {
    await jobs.stop();
    await index.close();
    await context.close();
  });
  return { database, presence, store, seal, index, galleries, people, node, jobs, logged };
}

/** Records the galleries that the index creates, in order. */
function watchGalleries(engine: GalleryEngine): { engine: GalleryEngine; galleries: Gallery[] } {
  const galleries: Gallery[] = [];
  return {
    galleries,
    engine: {
      createGallery(dimensions) {
        const gallery = engine.createGallery(dimensions);
        galleries.push(gallery);
        return gallery;
      },
      close: () => engine.close(),
    },
  };
}

function same<T>(value: T): T {
  return value;
}

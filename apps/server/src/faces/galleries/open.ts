// Puts the people together: store, index of the configured kind, thresholds. The service and the command line share it.
import { createGalleryEngine } from '@limen/gallery';
import type { Logger } from 'pino';
import { shareRuns } from '../../platform/async/share-runs.ts';
import type { Clock } from '../../platform/base/clock.ts';
import type { Ids, PersonId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { createMatchThresholds } from '../models/match-threshold.ts';
import { createBulkReader } from './index/bulk-reader.ts';
import { createMemoryIndex } from './index/memory.ts';
import { createPgvectorIndex } from './index/pgvector.ts';
import { createPeople } from './people.ts';
import { createEmbeddingSeal } from './store/embedding-seal.ts';
import { createPeopleStore } from './store/people.ts';

export interface OpenPeopleOptions {
  vectorStore: 'memory' | 'pgvector';
  /** Whether a search in pgvector may miss somebody. */
  mayMiss?: boolean;
  /** For vectors in memory; undefined: without a limit. */
  memoryBytes?: number | undefined;
  /** Replaces the table of match thresholds. */
  matchThreshold: number | undefined;
  maxEmbeddings: number;
  database: Database;
  /** Where that database is, for threads with a connection of their own. */
  url: string | undefined;
  dataDir: string;
  sealer: Sealer;
  idempotency: Idempotency;
  clock: Clock;
  ids: Ids;
  log: Logger;
  /** Part of the transaction that deletes a person: deletes what others keep about them. */
  onRemove: ForgetPerson;
  /** Where a memory of tokens is: resolves when it holds none that was removed from the gallery. */
  settleTokens?: ((galleryId: string) => Promise<void>) | undefined;
}

export type ForgetPerson = (trx: Transaction, personId: PersonId) => Promise<void>;

export type OpenedPeople = ReturnType<typeof openPeople>;

export function openPeople(options: OpenPeopleOptions) {
  const { database, sealer, idempotency, clock, ids, log, settleTokens = async () => {} } = options;
  const store = createPeopleStore(database, sealer, log);
  const seal = createEmbeddingSeal(sealer);
  const bulkReader = createBulkReader({ url: options.url, dataDir: options.dataDir, keys: sealer.keysForThread });
  const index =
    options.vectorStore === 'pgvector'
      ? createPgvectorIndex({ database, sealer, store, log, mayMiss: options.mayMiss ?? false })
      : createMemoryIndex({
          store,
          seal,
          bulkReader,
          engine: createGalleryEngine(),
          log,
          memoryBytes: options.memoryBytes,
        });
  const people = createPeople({
    database,
    store,
    index,
    seal,
    sealer,
    thresholds: createMatchThresholds(options.matchThreshold),
    clock,
    ids,
    maxEmbeddings: options.maxEmbeddings,
    async onRemove(trx, personId) {
      await idempotency.forget(trx, `people/${personId}`);
      await options.onRemove(trx, personId);
    },
    settleTokens,
    // Deletions that come together share one emptying of the write-ahead log.
    eraseFreed: shareRuns(() => database.checkpoint()),
  });
  return { people, index, store };
}

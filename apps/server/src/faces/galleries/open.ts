// Puts the people together: store, index of the configured kind, thresholds. The service and the command line share it.
import { createGalleryEngine } from '@limen/gallery';
import type { PersonId } from '../../platform/base/ids.ts';
import type { Core } from '../../platform/core.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { createMatchThresholds } from '../models/match-threshold.ts';
import type { peopleSettings } from '../settings.ts';
import { createBulkReader } from './index/bulk-reader.ts';
import { createMemoryIndex } from './index/memory.ts';
import { PgvectorIndex } from './index/pgvector.ts';
import { People } from './people.ts';
import { createEmbeddingSeal } from './store/embeddings.ts';
import { createPeopleStore } from './store/people.ts';

type PeopleSettings = ReturnType<typeof peopleSettings>;

export interface PeopleNeighbors {
  /** Part of the transaction that deletes a person: deletes what others keep about them. */
  onRemove: ForgetPerson;
  /** Resolves when no token in memory was removed from the gallery; undefined where no tokens are in memory. */
  settleTokens?: ((galleryId: string) => Promise<void>) | undefined;
}

export type ForgetPerson = (trx: Transaction, personId: PersonId) => Promise<void>;

export type OpenedPeople = ReturnType<typeof openPeople>;

export function openPeople(
  core: Core,
  settings: PeopleSettings,
  { onRemove, settleTokens = async () => {} }: PeopleNeighbors,
) {
  const { database, sealer, idempotency, log } = core;
  const store = createPeopleStore(database, sealer, log);
  const index =
    settings.vectorStore === 'pgvector'
      ? new PgvectorIndex({ database, sealer, store, log, mayMiss: settings.mayMiss })
      : createMemoryIndex({
          store,
          seal: createEmbeddingSeal(sealer),
          bulkReader: createBulkReader({ url: settings.url, dataDir: settings.dataDir, keys: sealer.keysForThread }),
          engine: createGalleryEngine(),
          log,
          memoryBytes: settings.memoryBytes,
        });
  const people = new People(core, {
    store,
    index,
    thresholds: createMatchThresholds(settings.matchThreshold),
    maxEmbeddings: settings.maxEmbeddings,
    async onRemove(trx, personId) {
      await idempotency.forget(trx, `people/${personId}`);
      await onRemove(trx, personId);
    },
    settleTokens,
  });
  return { people, index, store };
}

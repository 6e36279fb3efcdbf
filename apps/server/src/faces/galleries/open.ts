// Opens the people of galleries with the configured index, for the service and the command line.
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

/** Deletes the data that other rooms keep about a person, in the transaction that deletes the person. */
export type ForgetPerson = (trx: Transaction, personId: PersonId) => Promise<void>;

export interface PeopleNeighbors {
  onRemove: ForgetPerson;
  settleTokens?: ((galleryId: string) => Promise<void>) | undefined;
}

export type OpenedPeople = ReturnType<typeof openPeople>;

export function openPeople(
  core: Core,
  { vectorStore, mayMiss, memoryBytes, matchThreshold, maxEmbeddings, url, dataDir }: ReturnType<typeof peopleSettings>,
  { onRemove, settleTokens = async () => {} }: PeopleNeighbors,
) {
  const { database, sealer, idempotency, log } = core;
  const store = createPeopleStore(database, sealer, log);
  const index =
    vectorStore === 'pgvector'
      ? new PgvectorIndex({ database, sealer, store, log, mayMiss })
      : createMemoryIndex({
          store,
          seal: createEmbeddingSeal(sealer),
          bulkReader: createBulkReader({ url, dataDir, keys: sealer.keysForThread }),
          engine: createGalleryEngine(),
          log,
          memoryBytes,
        });
  const people = new People(core, {
    store,
    index,
    thresholds: createMatchThresholds(matchThreshold),
    maxEmbeddings,
    async onRemove(trx, personId) {
      await idempotency.forget(trx, `people/${personId}`);
      await onRemove(trx, personId);
    },
    settleTokens,
  });
  return { people, index, store };
}

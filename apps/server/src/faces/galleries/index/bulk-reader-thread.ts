// A thread that reads and opens embeddings with its own connection, a few pages ahead of the consumer.
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../../platform/database/database.ts';
import { createSealer, type SealerKeys } from '../../../platform/sealing/sealer.ts';
import {
  createEmbeddingSeal,
  type EmbeddingPage,
  type EmbeddingRange,
  readEmbeddingPage,
} from '../store/embeddings.ts';
import { createPeopleStore } from '../store/people.ts';

export interface BulkReaderSetup {
  url: string | undefined;
  dataDir: string;
  keys: SealerKeys;
  range: EmbeddingRange;
}

/** Rows of 2 KB */
const PAGE_ROWS = 512;
const PAGES_AHEAD = 4;

if (parentPort) await serve(parentPort, workerData as BulkReaderSetup);

async function serve(port: NonNullable<typeof parentPort>, { url, dataDir, keys, range }: BulkReaderSetup) {
  const database = openDatabase({ url, dataDir });
  const sealer = createSealer(keys);
  // Row seals are not checked here, but when a search finds the embedding.
  const store = createPeopleStore(database, sealer, { error() {} });
  const seal = createEmbeddingSeal(sealer);
  let credit = PAGES_AHEAD;
  let taken = Promise.withResolvers<void>();
  // Each message acknowledges a page.
  port.on('message', () => {
    credit += 1;
    taken.resolve();
  });
  for (let after: number | undefined = range.after; after !== undefined; ) {
    if (credit === 0) {
      taken = Promise.withResolvers();
      await taken.promise;
    }
    credit -= 1;
    const page: EmbeddingPage = await readEmbeddingPage(store, seal, { ...range, after }, PAGE_ROWS);
    after = page.next;
    port.postMessage(page, [page.vectors.buffer]);
  }
  await database.close();
  port.close();
}

// Stores a device's key pairs in IndexedDB, so that it remains the same device after a reload.
// Browsers only.
import type { DeviceKeys } from './keys.ts';
import type { DeviceKeyPair } from './signing.ts';

interface StoredPair {
  sessionId: string;
  pair: DeviceKeyPair;
  savedAt: number;
}

const STORE = 'pairs';
/** Retention of a pair. Sessions live at most one day. */
const KEEP_MS = 2 * 86_400_000;

/** Stores private keys as non-extractable key objects. `name` is the database's name. */
export function createIndexedDbKeys(name = 'limen-device'): DeviceKeys {
  const inStore = async <Result>(mode: 'readonly' | 'readwrite', work: (store: ObjectStore) => Result) => {
    const database = await openDatabase(name);
    try {
      const transaction = database.transaction(STORE, mode);
      const done = awaitTransaction(transaction);
      const result = work(transaction.objectStore(STORE));
      await done;
      return result;
    } finally {
      database.close();
    }
  };
  return {
    async load(sessionId) {
      const request = await inStore('readonly', (store) => store.get(sessionId));
      return (request.result as StoredPair | undefined)?.pair;
    },
    async save(pair, sessionId) {
      const savedAt = Date.now();
      await inStore('readwrite', (store) => {
        deleteOlder(store, savedAt - KEEP_MS);
        const present = store.get(sessionId);
        present.onsuccess = () => {
          if (present.result === undefined) store.put({ sessionId, pair, savedAt } satisfies StoredPair);
        };
      });
    },
  };
}

function openDatabase(name: string): Promise<Database> {
  const { indexedDB } = globalThis as { indexedDB?: Factory };
  if (!indexedDB) throw new TypeError('IndexedDB is not available here. Use createMemoryKeys().');
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'sessionId' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function deleteOlder(store: ObjectStore, before: number): void {
  const request = store.openCursor();
  request.onsuccess = () => {
    const cursor = request.result;
    if (!cursor) return;
    if ((cursor.value as StoredPair).savedAt < before) cursor.delete();
    cursor.continue();
  };
}

function awaitTransaction(transaction: Transaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

// Minimal IndexedDB types, because not every runtime's types include them.
interface Request<Result> {
  readonly result: Result;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}
interface OpenRequest extends Request<Database> {
  onupgradeneeded: (() => void) | null;
}
interface Factory {
  open(name: string, version: number): OpenRequest;
}
interface Database {
  createObjectStore(name: string, options: { keyPath: string }): unknown;
  transaction(store: string, mode: 'readonly' | 'readwrite'): Transaction;
  close(): void;
}
interface Transaction {
  readonly error: unknown;
  objectStore(name: string): ObjectStore;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
}
interface ObjectStore {
  get(key: string): Request<unknown>;
  put(value: unknown): unknown;
  openCursor(): Request<Cursor | null>;
}
interface Cursor {
  readonly value: unknown;
  delete(): unknown;
  continue(): void;
}

// Stores the people of this browser in IndexedDB, several for each gallery, until they are deleted.
import type { PersonRecord } from './person-record.ts';

export type KnownPeople = ReturnType<typeof createPeopleStore>;

const STORE = 'people';
/** Limit over all galleries, because each record is opened and compared at every sign-in. */
const MAX_PEOPLE = 32;

/** `name`: name of the database. Methods reject if the browser has none. */
export function createPeopleStore(name = 'limen-people') {
  async function runInStore<Result>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<Result> | undefined,
  ): Promise<Result | undefined> {
    const database = await openDatabase(name);
    try {
      const transaction = database.transaction(STORE, mode);
      const done = waitForCommit(transaction);
      const request = work(transaction.objectStore(STORE));
      await done;
      return request?.result;
    } finally {
      database.close();
    }
  }

  async function all(): Promise<PersonRecord[]> {
    return ((await runInStore('readonly', (store) => store.getAll())) ?? []) as PersonRecord[];
  }

  return {
    all,
    async listComparable(gallery: string, modelId: string): Promise<PersonRecord[]> {
      return (await all()).filter((record) => record.gallery === gallery && record.modelId === modelId);
    },
    /** Saves a record in place of the replaced ones. Drops the oldest beyond the limit. */
    async save(record: PersonRecord, replaces: readonly string[]): Promise<void> {
      const others = (await all()).filter(({ deviceId }) => !replaces.includes(deviceId));
      const oldest = others.toSorted((a, b) => b.savedAt - a.savedAt).slice(MAX_PEOPLE - 1);
      await runInStore('readwrite', (store) => {
        for (const deviceId of [...replaces, ...oldest.map(({ deviceId }) => deviceId)]) store.delete(deviceId);
        store.put(record);
        return undefined;
      });
    },
    async forget(deviceIds: readonly string[]): Promise<void> {
      await runInStore('readwrite', (store) => {
        for (const deviceId of deviceIds) store.delete(deviceId);
        return undefined;
      });
    },
  };
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'deviceId' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function waitForCommit(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

// Keeps the people of this browser in IndexedDB: several for each gallery, until they are forgotten.
import type { PersonRecord } from './person-record.ts';

export type KnownPeople = ReturnType<typeof createPeopleStore>;

const STORE = 'people';
/** For all galleries together. Each has to be opened and compared at every sign-in. */
const MOST_PEOPLE = 32;

/** `name` is the database's. Where a browser has none, it rejects. */
export function createPeopleStore(name = 'limen-people') {
  async function inStore<Result>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<Result> | undefined,
  ): Promise<Result | undefined> {
    const database = await openDatabase(name);
    try {
      const transaction = database.transaction(STORE, mode);
      const done = settled(transaction);
      const request = work(transaction.objectStore(STORE));
      await done;
      return request?.result;
    } finally {
      database.close();
    }
  }

  async function all(): Promise<PersonRecord[]> {
    return ((await inStore('readonly', (store) => store.getAll())) ?? []) as PersonRecord[];
  }

  return {
    /** Of any gallery. */
    all,
    async of(gallery: string, modelId: string): Promise<PersonRecord[]> {
      return (await all()).filter((record) => record.gallery === gallery && record.modelId === modelId);
    },
    /** In place of those that it replaces. Of too many the oldest go. */
    async save(record: PersonRecord, replaces: readonly string[]): Promise<void> {
      const others = (await all()).filter(({ deviceId }) => !replaces.includes(deviceId));
      const oldest = others.toSorted((one, other) => other.savedAt - one.savedAt).slice(MOST_PEOPLE - 1);
      await inStore('readwrite', (store) => {
        for (const deviceId of [...replaces, ...oldest.map((other) => other.deviceId)]) store.delete(deviceId);
        store.put(record);
        return undefined;
      });
    },
    async forget(deviceIds: readonly string[]): Promise<void> {
      await inStore('readwrite', (store) => {
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

function settled(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

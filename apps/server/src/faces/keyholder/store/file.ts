// The key-holder's own small database: a SQLite file that several processes may open, with all secrets sealed.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Limiter } from '../../../platform/async/limiter.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import { makeFolder } from '../../../platform/files/folder.ts';
import { beginFileForOwner } from '../../../platform/files/owner.ts';
import type { KeyHolderStore, Rows, RowValue } from './store.ts';
import { CREATE_IN_SQLITE } from './tables.ts';
import { type MasterKeys, openVault, rewrapVault } from './vault.ts';

const BUSY_TIMEOUT_MS = 5_000;

export function keyHolderFile(folder: string): string {
  return join(folder, 'keyholder.sqlite');
}

export async function openFileStore(
  folder: string,
  masterKeys: MasterKeys,
  clock: Clock,
  monotonic = () => performance.now(),
): Promise<KeyHolderStore> {
  makeFolder(folder);
  beginFileForOwner(keyHolderFile(folder));
  const db = new DatabaseSync(keyHolderFile(folder), { timeout: BUSY_TIMEOUT_MS });
  const turns = new Limiter({ maxRunning: 1 });
  const prepare = (parts: TemplateStringsArray) => db.prepare(parts.join('?'));
  const rows: Rows = {
    get now() {
      return clock.now();
    },
    get steady() {
      return Math.ceil(monotonic());
    },
    get: async <T>(parts: TemplateStringsArray, ...values: RowValue[]) =>
      prepare(parts).get(...values) as T | undefined,
    all: async <T>(parts: TemplateStringsArray, ...values: RowValue[]) => prepare(parts).all(...values) as T[],
    run: async (parts, ...values) => Number(prepare(parts).run(...values).changes),
  };
  const transact: KeyHolderStore['transact'] = (work) =>
    turns.run(async () => {
      db.exec('begin immediate');
      try {
        const result = await work(rows);
        db.exec('commit');
        return result;
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    });
  try {
    db.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; pragma temp_store = memory',
    );
    const sealer = await transact(async () => {
      db.exec(CREATE_IN_SQLITE);
      return openVault(rows, masterKeys, 'folder');
    });
    return {
      sealer,
      transact,
      read: (work) => turns.run(() => work(rows)),
      eraseFreed: () => turns.run(async () => db.exec('pragma wal_checkpoint(truncate)')),
      close: () => turns.run(async () => db.close()),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Seals the data key under the first master key. Returns false if it already is. Running key-holders have the data key and go on. */
export async function rotateFolder(folder: string, masterKeys: MasterKeys, clock: Clock): Promise<boolean> {
  const store = await openFileStore(folder, masterKeys, clock);
  try {
    const hasChanged = await store.transact((rows) => rewrapVault(rows, masterKeys, 'folder'));
    // Empties the write-ahead log, which still has the row under the old key.
    await store.eraseFreed();
    return hasChanged;
  } finally {
    await store.close();
  }
}

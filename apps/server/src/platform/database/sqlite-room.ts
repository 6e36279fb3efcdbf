// Handles a full disk: refuses new rows, and gives deletions the room of a reserve file.
//
// A deletion first needs room in the write-ahead log. Without a reserve, a full disk lets no deletion through. The log starts over every
// 1,000 pages (4 MB), so the room of the reserve lasts for any number of deletions.
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DatabaseError, isDiskFull } from '../base/database-failures.ts';
import { freeBytes } from '../files/free-space.ts';
import { matchOwner } from '../files/owner.ts';

const SQLITE_IOERR = 10;
/** Below this, an I/O error means a full disk: shared memory and the log grow in such steps. */
const MIN_FREE_BYTES = 64 * 1024;
/** Pages that deletions must free before new rows may reuse them: 1 MiB. */
const MIN_FREE_PAGES = 256;
const LOOK_AGAIN_MS = 1_000;
const CHUNK_BYTES = 2 ** 20;

export type DiskSpaceChange = 'full' | 'reserve in use' | 'room again';

export interface RoomOptions {
  /** Size of the reserve; 0 for none. */
  reserveBytes: number;
  onRoomChange: (change: DiskSpaceChange) => void;
}

export function openSqliteRoom(file: string, db: DatabaseSync, { reserveBytes, onRoomChange }: RoomOptions) {
  const folder = dirname(file);
  const reserve = `${file}.reserve`;
  const countFreePages = db.prepare('pragma freelist_count');
  let hasReserve = reserveBytes === 0 || readSize(reserve) === reserveBytes;
  let isFull = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  restoreReserve();

  return {
    /** Runs a statement or transaction. Work that makes room may use the reserve, and then runs again. Other work needs free pages. */
    async run<T>(makesRoom: boolean, work: () => Promise<T>): Promise<T> {
      if (!makesRoom && !hasRoom()) throw new DatabaseError('full', 'the remaining space is reserved for deletions');
      try {
        return await work();
      } catch (error) {
        const explained = explain(error);
        if (!isDiskFull(explained) || !(makesRoom || hasFreePages()) || !releaseReserve()) throw explained;
        onRoomChange('reserve in use');
        return work().catch((failure: unknown) => {
          throw explain(failure);
        });
      }
    },
    isFull: () => !hasRoom(),
    reserveBytes() {
      hasRoom(); // takes the reserve back, even if nothing is written
      return hasReserve ? reserveBytes : 0;
    },
  };

  /** Returns the error, or a DatabaseError if it means a full disk. */
  function explain(error: unknown): unknown {
    const { code, errcode = 0 } = (error ?? {}) as { code?: string; errcode?: number };
    if (code !== 'ERR_SQLITE_ERROR') return error;
    const isIoError = (errcode & 0xff) === SQLITE_IOERR;
    if (!isDiskFull(error) && !(isIoError && freeBytes(folder) < MIN_FREE_BYTES)) return error;
    if (!isFull) onRoomChange('full');
    isFull = true;
    return new DatabaseError('full', 'the disk of the database is full', { cause: error });
  }

  function hasRoom(): boolean {
    if (!isFull && hasReserve) return true;
    if (performance.now() - lookedAt >= LOOK_AGAIN_MS) {
      lookedAt = performance.now();
      // The reserve is restored before new rows may use the disk.
      if (restoreReserve() && isFull && freeBytes(folder) >= MIN_FREE_BYTES) {
        isFull = false;
        onRoomChange('room again');
      }
    }
    return !isFull || (reserveBytes > 0 && hasFreePages());
  }

  function hasFreePages(): boolean {
    return (countFreePages.get() as { freelist_count: number }).freelist_count >= MIN_FREE_PAGES;
  }

  /** Gives the room back to the disk. Returns false if there was none. */
  function releaseReserve(): boolean {
    const hadRoom = readSize(reserve) > 0;
    rmSync(reserve, { force: true });
    hasReserve = reserveBytes === 0;
    return hadRoom;
  }

  /** Takes the room again if the disk has twice as much. */
  function restoreReserve(): boolean {
    if (hasReserve) return true;
    rmSync(reserve, { force: true }); // of another size, or only partly written
    if (freeBytes(folder) < 2 * reserveBytes) return false;
    try {
      fillFile(reserve, reserveBytes);
      hasReserve = true;
    } catch {
      rmSync(reserve, { force: true }); // another process filled the disk first
    }
    return hasReserve;
  }
}

/** Writes random bytes: a file system that compresses would keep nothing free for zeros. */
function fillFile(file: string, bytes: number): void {
  const chunk = randomFillSync(Buffer.alloc(Math.min(bytes, CHUNK_BYTES)));
  const handle = openSync(file, 'w', 0o600);
  try {
    matchOwner(dirname(file), handle);
    for (let written = 0; written < bytes; ) {
      written += writeSync(handle, chunk, 0, Math.min(chunk.length, bytes - written));
    }
  } finally {
    closeSync(handle);
  }
}

function readSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

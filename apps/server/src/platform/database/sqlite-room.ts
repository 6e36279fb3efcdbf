// What happens at a full disk: new things are refused, and what is deleted goes on with the room that was kept for it.
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DatabaseFailure, isDiskFull } from '../base/database-failures.ts';
import { freeBytes } from '../files/free-space.ts';
import { openDiskReserve } from './disk-reserve.ts';

const SQLITE_IOERR = 10;
/** On a disk with less than this an input/output error is one of room: shared memory and the log grow in such steps. */
const NOTHING_BYTES = 64 * 1024;
/** What deletions freed inside the file, before new things may use it: 1 MiB of pages. */
const PAGES_TO_REUSE = 256;
const LOOK_AGAIN_MS = 1_000;

/** Told as it happens: the disk is full, the reserve is in use, all is as it should be again. */
export type RoomChange = 'full' | 'reserve in use' | 'room again';

interface RoomOptions {
  file: string;
  db: DatabaseSync;
  reserveBytes: number;
  onChange: (change: RoomChange) => void;
}

export type SqliteRoom = ReturnType<typeof openSqliteRoom>;

export function openSqliteRoom({ file, db, reserveBytes, onChange }: RoomOptions) {
  const reserve = reserveBytes > 0 ? openDiskReserve(`${file}.reserve`, reserveBytes) : undefined;
  const countFreePages = db.prepare('pragma freelist_count');
  const folder = dirname(file);
  let isFull = false;
  let lookedAt = Number.NEGATIVE_INFINITY;

  return {
    /**
     * Runs a transaction or a statement. Work that makes room may use the reserve. Other work runs only where deletions have left room
     * inside the file, and is refused as full while there is none.
     */
    async run<T>(mayUseReserve: boolean, work: () => Promise<T>): Promise<T> {
      if (!mayUseReserve && !hasRoomAgain())
        throw new DatabaseFailure('full', 'the room that is left is for deletions');
      try {
        return await work();
      } catch (error) {
        const isWorthIt = isDiskFull(error) && (mayUseReserve || hasFreePages());
        if (!isWorthIt || !reserve?.release()) throw error;
        onChange('reserve in use');
        return work();
      }
    },
    /** Returns the error, or our own if it means a full disk. */
    explain(error: unknown): unknown {
      const errcode = (error as { errcode?: unknown } | null)?.errcode;
      const isIoError = typeof errcode === 'number' && (errcode & 0xff) === SQLITE_IOERR;
      if (!isDiskFull(error) && !(isIoError && freeBytes(folder) < NOTHING_BYTES)) return error;
      if (!isFull) onChange('full');
      isFull = true;
      return error instanceof DatabaseFailure
        ? error
        : new DatabaseFailure('full', 'the disk of the database is full', { cause: error });
    },
    /** Whether new things are refused. */
    isFull: (): boolean => !hasRoomAgain(),
    reserveBytes(): number {
      hasRoomAgain(); // whoever looks also has it taken back, where there is nobody who writes
      return reserve?.isHeld ? reserveBytes : 0;
    },
  };

  function hasRoomAgain(): boolean {
    const isAsItShouldBe = !isFull && reserve?.isHeld !== false;
    if (isAsItShouldBe) return true;
    if (performance.now() - lookedAt >= LOOK_AGAIN_MS) {
      lookedAt = performance.now();
      // A reserve that was given away is taken back before anything new may use the disk.
      const isHeld = reserve?.restore() !== false;
      if (isFull && isHeld && freeBytes(folder) >= NOTHING_BYTES) {
        isFull = false;
        onChange('room again');
      }
    }
    return !isFull || (reserve !== undefined && hasFreePages());
  }

  function hasFreePages(): boolean {
    return (countFreePages.get() as { freelist_count: number }).freelist_count >= PAGES_TO_REUSE;
  }
}

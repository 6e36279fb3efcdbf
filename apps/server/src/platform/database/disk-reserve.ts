// A file of no use but its size: given up when the disk is full, so that deletions still have room to be written down.
//
// A deletion needs room before it makes any: its pages go to the write-ahead log first. Measured on a full file system
// without a reserve: not one deletion of a 100-byte row gets through. With one, the log is written into the room that the
// reserve had, and SQLite begins it anew every 1,000 pages (4 MB), so that the room lasts for any number of deletions.
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { freeBytes } from '../files/free-space.ts';
import { giveToOwnerOf } from '../files/owner.ts';

const CHUNK_BYTES = 2 ** 20;

export function openDiskReserve(file: string, bytes: number) {
  let isHeld = sizeOf(file) === bytes;
  const reserve = {
    get isHeld(): boolean {
      return isHeld;
    },
    /** Gives the room back to the disk. Returns false if there was none to give. */
    release(): boolean {
      const hadRoom = sizeOf(file) > 0;
      rmSync(file, { force: true });
      isHeld = false;
      return hadRoom;
    },
    /** Takes the room again if the disk has twice as much. */
    restore(): boolean {
      if (isHeld) return true;
      // A restart with another size, or one that was broken off.
      rmSync(file, { force: true });
      if (freeBytes(dirname(file)) < 2 * bytes) return false;
      try {
        fill(file, bytes);
        isHeld = true;
      } catch {
        rmSync(file, { force: true }); // somebody else was quicker to fill the disk
      }
      return isHeld;
    },
  };
  reserve.restore();
  return reserve;
}

/** With random bytes: a file system that compresses would keep nothing free for zeros. */
function fill(file: string, bytes: number): void {
  const chunk = randomFillSync(Buffer.alloc(Math.min(bytes, CHUNK_BYTES)));
  const handle = openSync(file, 'w', 0o600);
  try {
    giveToOwnerOf(dirname(file), handle);
    for (let written = 0; written < bytes; ) {
      written += writeSync(handle, chunk, 0, Math.min(chunk.length, bytes - written));
    }
  } finally {
    closeSync(handle);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

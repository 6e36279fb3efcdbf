// Storage for the lines of the audit: files next to the key-holder's own, or rows of the database
// that several key-holders share.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { syncAtOnce } from '../../../platform/files/durable.ts';
import { giveToOwnerOf } from '../../../platform/files/owner.ts';
import type { Rows } from '../store/store.ts';
import { auditFile, type ChainHead, type Segment, segmentName } from './chain.ts';
import { NEXT_SEGMENT } from './record.ts';

export interface AuditShelf {
  /**
   * Returns how many lines and bytes precede the next line. The numbers are lower than those
   * written if someone cut lines off or put them away.
   */
  prepare(last: ChainHead | undefined): Pick<ChainHead, 'lines' | 'bytes'>;
  /** The nth line of the present day; it lasts if the transaction does. */
  put(rows: Rows, nth: number, line: string): Promise<void>;
  /** The present lines are those of this day from now on; false when they are not there. Whole again after a crash in it. */
  putAway(segment: Segment, bytes: number): boolean;
  /** Deletes the lines of a day that was put away. */
  remove(rows: Rows, segment: Segment): Promise<void>;
}

/** Lines of the audit as rows: they last with the transaction that writes them, and the lines of a day are deleted together. */
export function createRowShelf(): AuditShelf {
  return {
    prepare: (last) => last ?? { lines: 0, bytes: 0 },
    async put(rows, nth, line) {
      await rows.run(`insert into audit_lines (segment, number, line) values (${NEXT_SEGMENT}, ?, ?)`, nth, line);
    },
    putAway: () => true, // they have had the number of their day from the first
    async remove(rows, { number }) {
      await rows.run('delete from audit_lines where segment = ?', number);
    },
  };
}

/**
 * Lines of the audit as files: one for the present day, and one for each day before it. `onCut`: lines that had been written are
 * missing. The lines that follow are still a chain, and the gap stays visible. `onNewFile`: a file begins after an earlier one, which
 * was put away or deleted.
 */
export function createFileShelf(
  folder: string,
  { onCut, onNewFile }: Record<'onCut' | 'onNewFile', () => void>,
): AuditShelf {
  const present = auditFile(folder);
  let toldOfCut = false;

  return {
    /** With the file as it should be: what was written and never told is cut off. */
    prepare(last) {
      const { lines, bytes } = last ?? { lines: 0, bytes: 0 };
      const size = sizeOf(present) ?? 0;
      if (size > bytes) truncateSync(present, bytes);
      if (size >= bytes) return { lines, bytes };
      // An empty one was put away by an operator, and a new one begins.
      if (size > 0 && !toldOfCut) onCut();
      toldOfCut = size > 0;
      if (size > 0) return { lines, bytes: size };
      onNewFile();
      return { lines: 0, bytes: 0 };
    },

    async put(_, __, line) {
      const file = openSync(present, 'a', 0o600);
      try {
        giveToOwnerOf(folder, file);
        const written = Buffer.from(`${line}\n`);
        for (let at = 0; at < written.length; ) at += writeSync(file, written, at);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },

    putAway(segment, bytes) {
      const path = join(folder, segmentName(segment));
      // There already: moved before a crash, and not written down.
      if (sizeOf(path) !== undefined) return true;
      const size = sizeOf(present);
      if (size === undefined) return false;
      if (size > bytes) truncateSync(present, bytes); // the rest of a line that was never told
      renameSync(present, path);
      syncAtOnce(folder); // the new name is on disk before what says that it is there
      return true;
    },

    async remove(_, segment) {
      rmSync(join(folder, segmentName(segment)), { force: true });
    },
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

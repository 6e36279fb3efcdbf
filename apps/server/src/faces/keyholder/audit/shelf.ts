// Storage for the lines of the audit: files, or rows of the database that several key-holders share.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { syncAtOnce } from '../../../platform/files/durable.ts';
import { matchOwner } from '../../../platform/files/owner.ts';
import type { Rows } from '../store/store.ts';
import { auditFile, type ChainHead, type Segment, segmentName } from './chain.ts';

export interface AuditShelf {
  /** Returns the lines and bytes before the next line: fewer than were written if someone cut some off or moved them. */
  prepare(last: ChainHead | undefined): Pick<ChainHead, 'lines' | 'bytes'>;
  /** Writes the nth line of the present day. It lasts if the transaction does. */
  put(rows: Rows, nth: number, line: string): Promise<void>;
  /** Moves the present lines to a past day. Returns false if they are missing. Can be repeated after a crash. */
  putAway(segment: Segment, bytes: number): boolean;
  remove(rows: Rows, segment: Segment): Promise<void>;
}

/** Lines as rows, which last with the transaction that writes them. */
export const rowShelf: AuditShelf = {
  prepare: (last) => last ?? { lines: 0, bytes: 0 },
  async put(rows, nth, line) {
    await rows.run`insert into audit_lines (segment, number, line) values ((select coalesce(max(number), 0) + 1 from audit_segments), ${nth}, ${line})`;
  },
  putAway: () => true, // rows carry the number of their day from the start
  async remove(rows, { number }) {
    await rows.run`delete from audit_lines where segment = ${number}`;
  },
};

/** Lines as files, one per day. `onCut`: written lines are missing. `onNewFile`: the previous file was moved or deleted. */
export function createFileShelf(
  folder: string,
  { onCut, onNewFile }: Record<'onCut' | 'onNewFile', () => void>,
): AuditShelf {
  const present = auditFile(folder);
  let isCutReported = false;

  return {
    /** Truncates what was written and never reported. */
    prepare(last) {
      const { lines, bytes } = last ?? { lines: 0, bytes: 0 };
      const size = readSize(present) ?? 0;
      if (size > bytes) truncateSync(present, bytes);
      if (size >= bytes) return { lines, bytes };
      if (size > 0 && !isCutReported) onCut();
      isCutReported = size > 0;
      if (size > 0) return { lines, bytes: size };
      onNewFile();
      return { lines: 0, bytes: 0 };
    },

    async put(_, __, line) {
      const file = openSync(present, 'a', 0o600);
      try {
        matchOwner(folder, file);
        const written = Buffer.from(`${line}\n`);
        for (let at = 0; at < written.length; ) at += writeSync(file, written, at);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },

    putAway(segment, bytes) {
      const path = join(folder, segmentName(segment));
      // A crash may have come between the move and the row that records it.
      if (readSize(path) !== undefined) return true;
      const size = readSize(present);
      if (size === undefined) return false;
      if (size > bytes) truncateSync(present, bytes); // an unfinished line was never reported
      renameSync(present, path);
      syncAtOnce(folder); // the new name reaches the disk before the row that names it
      return true;
    },

    async remove(_, segment) {
      rmSync(join(folder, segmentName(segment)), { force: true });
    },
  };
}

function readSize(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

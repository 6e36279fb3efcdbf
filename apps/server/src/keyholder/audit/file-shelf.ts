// Lines of the audit as files: one for the day that is going on, and one for each that was put away.
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncAtOnce } from '../../platform/durable-files.ts';
import { giveToOwnerOf } from '../../platform/same-owner.ts';
import { auditFile, segmentName } from './audit-chain.ts';
import { ANEW, writeAnew } from './audit-rewrite.ts';
import type { AuditShelf } from './audit-shelf.ts';

/** Of the database, once no line has a name of an earlier version. */
export const LINES_VERSION = 1;

export interface FileShelfEvents {
  /** Lines are missing that had been written. What is written from now on is still a chain; the gap stays visible. */
  onCut: () => void;
  /** A file begins after an earlier one, which somebody put away or deleted. */
  onNewFile: () => void;
}

export function createFileShelf(folder: string, { onCut, onNewFile }: FileShelfEvents): AuditShelf {
  const present = auditFile(folder);
  let toldOfCut = false;
  const listAnew = () => readdirSync(folder).filter((name) => name.endsWith(ANEW));

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

    /** Whole again after a crash at any point: the database says which of two files counts. */
    async renewOld(transact, record) {
      const isDone = await transact(async (rows) => {
        const version = await rows.get<{ user_version: number }>('pragma user_version');
        if (version!.user_version >= LINES_VERSION) return true;
        for (const name of listAnew()) rmSync(join(folder, name));
        await rows.run('savepoint anew');
        // A head that somebody changed, or a full disk, keeps nobody from starting: it is tried again next time.
        const isWritten = await writeAnew(folder, rows, record).then(
          () => true,
          () => false,
        );
        await rows.run(isWritten ? `pragma user_version = ${LINES_VERSION}` : 'rollback to anew');
        await rows.run('release anew');
        return isWritten;
      });
      // With the write lock: a process that starts now moves what is left, and writes only then.
      await transact(async () => {
        for (const path of listAnew().map((name) => join(folder, name))) {
          if (isDone) renameSync(path, path.slice(0, -ANEW.length));
          else rmSync(path);
        }
      });
      return isDone;
    },
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

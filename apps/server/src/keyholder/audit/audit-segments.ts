// The audit's days that are over: files put away, and a checkpoint of each that stays when the file's time is over.
import { renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { syncAtOnce } from '../../platform/durable-files.ts';
import type { KeyHolderStore } from '../store.ts';
import { auditFile, type ChainHead, type Segment, segmentName } from './audit-chain.ts';

const PURPOSE = 'audit segment';

export interface AuditSegments {
  /** Puts the present file away; false when it is not there. Part of a transaction, and whole again after a crash in it. */
  close(day: string, end: ChainHead & { start: string }): boolean;
  /** Deletes the files of days before this one. */
  prune(before: string): void;
  /** Those whose files are there, in their order. */
  listKept(): Segment[];
  /** After its file was written anew. */
  change(segment: Segment): void;
}

export function createAuditSegments({ db, sealer, folder }: KeyHolderStore): AuditSegments {
  const nextNumber = db.prepare('select coalesce(max(number), 0) + 1 as number from audit_segments');
  const insert = db.prepare(
    'insert into audit_segments (number, day, lines, start, hash, pruned, mac) values (?, ?, ?, ?, ?, 0, ?)',
  );
  const listOver = db.prepare(
    'select number, day, lines, start, hash from audit_segments where pruned = 0 and day < ? order by number',
  );
  const listKept = db.prepare(
    'select number, day, lines, start, hash, pruned from audit_segments where pruned = 0 order by number',
  );
  const update = db.prepare('update audit_segments set start = ?, hash = ?, mac = ? where number = ?');
  const setPruned = db.prepare('update audit_segments set pruned = 1, mac = ? where number = ?');

  const macOf = ({ number, day, lines, start, hash, pruned }: Segment) =>
    sealer.digest(PURPOSE, `${number} ${day} ${lines} ${start} ${hash} ${pruned}`);

  return {
    close(day, { lines, bytes, start, hash }) {
      const { number } = nextNumber.get() as { number: number };
      const segment: Segment = { number, day, lines, start, hash, pruned: 0 };
      const path = join(folder, segmentName(segment));
      // There already: moved before a crash, and not written down.
      if (sizeOf(path) === undefined) {
        const present = sizeOf(auditFile(folder));
        if (present === undefined) return false;
        if (present > bytes) truncateSync(auditFile(folder), bytes); // the rest of a line that was never told
        renameSync(auditFile(folder), path);
        syncAtOnce(folder); // the new name is on disk before what says that it is there
      }
      insert.run(number, day, lines, start, hash, macOf(segment));
      return true;
    },

    listKept: () => listKept.all() as unknown as Segment[],
    change: (segment) => void update.run(segment.start, segment.hash, macOf(segment), segment.number),

    prune(before) {
      for (const row of listOver.all(before) as unknown as Segment[]) {
        rmSync(join(folder, segmentName(row)), { force: true });
        setPruned.run(macOf({ ...row, pruned: 1 }), row.number);
      }
    },
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

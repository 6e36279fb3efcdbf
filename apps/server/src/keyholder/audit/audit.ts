// Writes one line per decision of the key-holder, each with the hash of the one before; a file a day, kept for so many days.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { AuditFacts, ChallengePurpose } from '../../core/keyholder/keyholder.ts';
import type { Clock } from '../../platform/clock.ts';
import { CHAIN_START, dayOf, hashLine } from '../../platform/hash-chain.ts';
import type { KeyHolderStore } from '../store.ts';
import { auditFile, type ChainHead, segmentName } from './audit-chain.ts';
import { rewriteLines } from './audit-rewrite.ts';
import { createAuditSegments } from './audit-segments.ts';

export const DEFAULT_AUDIT_DAYS = 400;
const DAY_MS = 86_400_000;

/** Of the database, once no line has a name of an earlier version. */
const LINES_VERSION = 1;
/** A file that takes the place of the one that it is named after as soon as the database says so. */
const ANEW = '.anew';

const HEAD_PURPOSE = 'audit head';
const START_PURPOSE = 'audit start';

export type AuditOutcome =
  | 'match'
  | 'no_match'
  | 'malformed'
  | 'adopted'
  | 'not_adopted'
  | 'settled'
  | 'locked'
  | 'key_made'
  | 'rotated'
  | 'renewed'
  | 'retired'
  | 'answers_spent';

/** No score and nothing biometric: who asked for what, on how many rows, and how it ended. */
export interface AuditEntry {
  customer: string;
  outcome: AuditOutcome;
  purpose?: ChallengePurpose;
  challenge?: string;
  session?: string;
  device?: string;
  person?: string;
  epoch?: string;
  rows?: number;
  /** Of the customer in this hour. */
  answers?: number;
  facts?: AuditFacts;
}

export interface Audit {
  /** On disk when it returns. Throws when it cannot be written: then there is no answer either. */
  write(entry: AuditEntry): void;
  /** Puts the file of a day that is over away, and deletes those whose time is over; to be called now and then. */
  tidy(): void;
  head(): ChainHead | undefined;
  /** Writes what an earlier version wrote anew, once, without what is not written any more; false when it cannot be done now. */
  renewOld(): boolean;
}

interface AuditOptions {
  store: KeyHolderStore;
  clock: Clock;
  /** How long lines are kept. */
  days: number;
  /** Lines are missing that had been written. What is written from now on is still a chain; the gap stays visible. */
  onCut: () => void;
  /** A file begins after an earlier one, which somebody put away or deleted. */
  onNewFile: () => void;
}

export function createAudit({ store, clock, days, onCut, onNewFile }: AuditOptions): Audit {
  const { db, sealer, folder } = store;
  const find = db.prepare('select lines, bytes, hash, mac from audit_head');
  const put = db.prepare(
    'insert into audit_head (one, lines, bytes, hash, mac) values (1, ?, ?, ?, ?) on conflict do update set lines = excluded.lines, bytes = excluded.bytes, hash = excluded.hash, mac = excluded.mac',
  );
  const findStart = db.prepare('select day, hash from audit_start');
  const putStart = db.prepare(
    'insert into audit_start (one, hash, mac, day) values (1, ?, ?, ?) on conflict do update set hash = excluded.hash, mac = excluded.mac, day = excluded.day',
  );
  const segments = createAuditSegments(store);
  const macOf = ({ lines, bytes, hash }: ChainHead) => sealer.digest(HEAD_PURPOSE, `${lines} ${bytes} ${hash}`);
  let toldOfCut = false;

  function head(): ChainHead | undefined {
    const row = find.get() as (ChainHead & { mac: Uint8Array }) | undefined;
    if (!row) return undefined;
    const { lines, bytes, hash } = row;
    if (!macOf({ lines, bytes, hash }).equals(row.mac)) throw new Error('the head of the audit chain was changed');
    return { lines, bytes, hash };
  }

  function putHead(next: ChainHead): void {
    put.run(next.lines, next.bytes, next.hash, macOf(next));
  }

  /** Puts the present file away when its day is over. A clock that is set back begins no new one. */
  function turnPage(): void {
    const last = head();
    const start = findStart.get() as { day: string | null; hash: string } | undefined;
    const today = dayOf(clock.now());
    if (!last || !start || last.lines === 0) return;
    // A file of an earlier version does not say on which day it began.
    if (start.day === null) putStart.run(start.hash, sealer.digest(START_PURPOSE, start.hash), today);
    if (start.day === null || start.day >= today) return;
    if (!segments.close(start.day, { ...last, start: start.hash })) return;
    putHead({ lines: 0, bytes: 0, hash: last.hash });
    segments.prune(dayOf(clock.now() - days * DAY_MS));
  }

  /** Behind the head, with the file as it should be: what was written and never told is cut off. */
  function append(entry: AuditEntry): void {
    const last = head();
    const file = openSync(auditFile(folder), 'a+', 0o600);
    try {
      const present = fstatSync(file).size;
      let { lines, bytes } = last ?? { lines: 0, bytes: 0 };
      if (present < bytes) {
        // An empty one was put away by an operator, and a new one begins.
        if (present > 0 && !toldOfCut) onCut();
        toldOfCut = present > 0;
        if (present === 0) onNewFile();
        [lines, bytes] = present === 0 ? [0, 0] : [lines, present];
      } else if (present > bytes) {
        ftruncateSync(file, bytes);
      }
      const now = clock.now();
      if (lines === 0) {
        const start = last?.hash ?? CHAIN_START;
        putStart.run(start, sealer.digest(START_PURPOSE, start), dayOf(now));
      }
      const time = new Date(now).toISOString();
      const line = JSON.stringify({ time, ...entry, previous: last?.hash ?? CHAIN_START });
      const written = Buffer.from(`${line}\n`);
      for (let at = 0; at < written.length; ) at += writeSync(file, written, at);
      fsyncSync(file);
      putHead({ lines: lines + 1, bytes: bytes + written.length, hash: hashLine(line) });
    } finally {
      closeSync(file);
    }
  }

  /** Beside each file its next one. A file that is not there has nothing in it to be written anew. */
  function writeAnew(): void {
    const last = head();
    const moved = new Map<string, string>();
    const linkOf = (hash: string) => moved.get(hash) ?? hash;
    const rewrite = (path: string, written: { lines: number; start: string; hash: string }) => {
      if (!existsSync(path)) return { bytes: 0, hash: undefined };
      const made = rewriteLines(path, `${path}${ANEW}`, written, linkOf(written.start));
      if (made.hash !== undefined) moved.set(written.hash, made.hash);
      return made;
    };
    for (const segment of segments.listKept()) {
      rewrite(join(folder, segmentName(segment)), segment);
      segments.change({ ...segment, start: linkOf(segment.start), hash: linkOf(segment.hash) });
    }
    if (!last) return;
    const start = (findStart.get() as { day: string | null; hash: string } | undefined) ?? {
      day: null,
      hash: CHAIN_START,
    };
    const path = auditFile(folder);
    const present = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const { bytes } = last.lines === 0 ? { bytes: 0 } : rewrite(path, { ...last, start: start.hash });
    const link = linkOf(start.hash);
    putStart.run(link, sealer.digest(START_PURPOSE, link), start.day);
    // What was cut off is missing from the new one too.
    putHead({ lines: last.lines, bytes: bytes + Math.max(0, last.bytes - present), hash: linkOf(last.hash) });
  }

  /** A head that somebody changed, or a full disk, keeps nobody from starting: it is tried again next time. */
  function triesToWriteAnew(): boolean {
    try {
      writeAnew();
      return true;
    } catch {
      return false;
    }
  }

  /** Whole again after a crash at any point: the database says which of two files counts. */
  function renewOld(): boolean {
    const versionOf = () => (db.prepare('pragma user_version').get() as { user_version: number }).user_version;
    const listAnew = () => readdirSync(folder).filter((name) => name.endsWith(ANEW));
    const isDone = store.transact(() => {
      if (versionOf() >= LINES_VERSION) return true;
      for (const name of listAnew()) rmSync(join(folder, name));
      db.exec('savepoint anew');
      const isWritten = triesToWriteAnew();
      if (isWritten) db.exec(`pragma user_version = ${LINES_VERSION}`);
      else db.exec('rollback to anew');
      db.exec('release anew');
      return isWritten;
    });
    // With the write lock: a process that starts now moves what is left, and writes only then.
    store.transact(() => {
      for (const path of listAnew().map((name) => join(folder, name))) {
        if (isDone) renameSync(path, path.slice(0, -ANEW.length));
        else rmSync(path);
      }
    });
    return isDone;
  }

  return {
    head,
    renewOld,
    write(entry) {
      // The write lock of the database is what keeps two processes from writing at once.
      store.transact(() => {
        turnPage();
        append(entry);
      });
    },
    tidy() {
      store.transact(() => {
        turnPage();
        segments.prune(dayOf(clock.now() - days * DAY_MS));
      });
    },
  };
}

// Writes one line per decision of the key-holder, each with the hash of the one before; a file a day, kept for so many days.
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { AuditFacts, ChallengePurpose } from '../core/keyholder/keyholder.ts';
import type { Clock } from '../platform/clock.ts';
import { auditFile, CHAIN_START, type ChainHead, hashLine } from './audit-chain.ts';
import { createAuditSegments } from './audit-segments.ts';
import type { KeyHolderStore } from './store.ts';

export const DEFAULT_AUDIT_DAYS = 400;
const DAY_MS = 86_400_000;

const HEAD_PURPOSE = 'audit head';
const START_PURPOSE = 'audit start';

export type AuditOutcome =
  | 'match'
  | 'no_match'
  | 'malformed'
  | 'adopted'
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

  return {
    head,
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

/** UTC. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

// Writes one line per decision of the key-holder, each with the hash of the one before; a file a day, kept for so many days.

import { CHAIN_START, dayOf, hashLine } from '../../../platform/sealing/hash-chain.ts';
import type { AboutAttempt, ChallengeRequest } from '../link/calls.ts';
import type { KeyHolderStore, Rows } from '../store/store.ts';
import { createAuditRecord, EditedHeadError } from './record.ts';
import type { AuditShelf } from './shelf.ts';

const DAY_MS = 86_400_000;
/** A clock that is further ahead of the newest line deletes nothing for this long, so that an operator can set it right. */
const LEAP_MS = 7 * DAY_MS;

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
  | 'packed'
  | 'unbalanced'
  | 'retired'
  | 'answers_spent';

/** No score and nothing biometric: who asked for what, on how many rows, and how it ended. */
export interface DecisionEntry {
  customer: string;
  outcome: AuditOutcome;
  purpose?: ChallengeRequest['purpose'];
  challenge?: string;
  session?: string;
  device?: string;
  person?: string;
  epoch?: string;
  rows?: number;
  /** Of the customer in this hour. */
  answers?: number;
  facts?: AboutAttempt['facts'];
}

export type Audit = ReturnType<typeof createAudit>;

interface AuditOptions {
  store: KeyHolderStore;
  /** Storage of the audit's lines. */
  shelf: AuditShelf;
  /** How long lines are kept. */
  days: number;
  /** Called when deletion is held back because of the clock, and when that ends. */
  onHeld?: (isHeld: boolean) => void;
}

export function createAudit({ store, shelf, days, onHeld = () => {} }: AuditOptions) {
  const record = createAuditRecord(store.sealer);

  /** At the last look at the clock; before the first one, the day of the newest line. */
  let lastDay: string | undefined;
  let heldUntil: number | undefined;

  /** Holds deletion back after a leap of the clock, which would end lines before their time. */
  async function watchClock(rows: Rows): Promise<void> {
    const before = lastDay ?? (await record.start(rows))?.day ?? dayOf(rows.now);
    lastDay = dayOf(rows.now);
    // A clock that is set right around midnight may go back by a day.
    const isLeap = before < dayOf(rows.now - LEAP_MS) || before > dayOf(rows.now + DAY_MS);
    if (isLeap) heldUntil = rows.steady + LEAP_MS;
    else if (heldUntil === undefined || rows.steady < heldUntil) return;
    else heldUntil = undefined;
    onHeld(isLeap);
  }

  /** Puts the present lines away when their day is over. A clock that is set back begins no new one. */
  async function turnPage(rows: Rows): Promise<void> {
    await watchClock(rows);
    const last = await record.head(rows);
    const start = await record.start(rows);
    const today = dayOf(rows.now);
    if (!last || !start || last.lines === 0 || start.day >= today) return;
    const number = await record.nextNumber(rows);
    const { lines, bytes, hash } = last;
    const segment = { number, day: start.day, lines, start: start.hash, hash, pruned: 0 as const };
    if (!shelf.putAway(segment, bytes)) return;
    await record.addSegment(rows, segment);
    await record.putHead(rows, { lines: 0, bytes: 0, hash });
    await prune(rows);
  }

  /** Only their checkpoints stay. */
  async function prune(rows: Rows): Promise<void> {
    if (heldUntil !== undefined) return;
    for (const segment of await record.listKept(rows, dayOf(rows.now - days * DAY_MS))) {
      await shelf.remove(rows, segment);
      await record.markPruned(rows, segment);
    }
  }

  return {
    /** Returns why the next line cannot be written, as far as the database says. */
    async findFault(rows: Rows): Promise<string | undefined> {
      try {
        await record.head(rows);
        return undefined;
      } catch (error) {
        if (error instanceof EditedHeadError) return error.message;
        throw error;
      }
    },
    /** On disk when the transaction is. Throws when it cannot be written: then there is no answer either. */
    async write(rows: Rows, entry: DecisionEntry): Promise<void> {
      await turnPage(rows);
      const last = await record.head(rows);
      const { lines, bytes } = shelf.prepare(last);
      const previous = last?.hash ?? CHAIN_START;
      if (lines === 0) await record.putStart(rows, { day: dayOf(rows.now), hash: previous });
      const line = JSON.stringify({ time: new Date(rows.now).toISOString(), ...entry, previous });
      await shelf.put(rows, lines + 1, line);
      const written = Buffer.byteLength(line) + 1;
      await record.putHead(rows, { lines: lines + 1, bytes: bytes + written, hash: hashLine(line) });
    },
    /** Puts the lines of a day that is over away, and deletes those whose time is over; to be called now and then. */
    tidy: () =>
      store.transact(async (rows) => {
        await turnPage(rows);
        await prune(rows);
      }),
  };
}

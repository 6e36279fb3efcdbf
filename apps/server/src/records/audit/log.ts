// The record of what operators did and looked at. A line is on disk before anything is shown, and together with what is done; where
// it cannot be written, nothing is done. Each line is linked to the one before it, and each day ends in a signed checkpoint.

import { hostname } from 'node:os';
import { AppError } from '../../platform/base/errors.ts';
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';
import type { Core } from '../../platform/core.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import { CHAIN_START, dayOf, hashLine } from '../../platform/sealing/hash-chain.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { MAX_ABOUT_LENGTH } from '../limits.ts';
import { tables } from '../tables.ts';
import { type Act, COMMAND_LINE } from './acts.ts';
import { type Checkpoints, readDays, type SegmentRow } from './checkpoints.ts';
import type { AuditStore, LineFilter, LineRow } from './store.ts';

const DAY_MS = 86_400_000;

/** Who did what to which thing, and from where. No text that was searched for, and nothing personal of anybody but operators. */
export interface AuditedAct {
  /** Without a role: somebody of whom nothing is known. */
  operator: { id: OperatorId; name: string; role: Role | null };
  act: Act;
  /** Ids of ours, or a digest of another's. */
  about?: string;
  from: string;
}

interface AuditLine extends Omit<AuditedAct, 'act'> {
  /** Maybe of another version. */
  act: string;
  seq: number;
  /** ISO 8601. */
  time: string;
  /** Hash of the line before. */
  previous: string;
}

interface AuditLogParts extends Pick<Core, 'database' | 'sealer' | 'clock'> {
  store: AuditStore;
  checkpoints: Checkpoints;
}

export function createAuditLog({ database, store, checkpoints, sealer, clock }: AuditLogParts) {
  return {
    /** On disk when it resolves. Rejects when it cannot be written: then nothing is done or shown either. */
    write: (entry: AuditedAct) => database.transact((trx) => writeWith(trx, entry)),
    /** Writes a line within the transaction of the recorded act. A refused act leaves no line. */
    writeWith,

    /** Newest first; of these days (UTC, such as 2026-03-01), both included. */
    async list({
      fromDay,
      untilDay,
      ...filter
    }: LineFilter & { fromDay?: string | undefined; untilDay?: string | undefined }) {
      const isBounded = fromDay !== undefined || untilDay !== undefined;
      const lines = isBounded ? await linesOf(fromDay, untilDay, filter.before) : {};
      const rows = await store.list({ ...filter, ...lines });
      return rows.map((row) => ({ seq: row.seq, line: readLine(sealer, row) }));
    },

    /**
     * Deletes the lines of days that are over for longer than `days`; their checkpoints stay. Returns
     * the first day that is not as it was written. That day, the one before it and all later days
     * stay unchanged.
     */
    prune: (days: number) =>
      database.transact(
        async (trx) => {
          const oldest = dayOf(clock.now() - days * DAY_MS);
          const { sound, broken } = readDays(checkpoints, await store.listSegments(trx));
          // Each has one after it that follows from it: what is signed anew here was right before, and the newest day stays.
          for (const row of sound.slice(0, -1).filter(({ pruned, day }) => !pruned && day < oldest)) {
            await store.deleteLines(trx, row.first_seq, row.first_seq + row.lines);
            await store.updateSegment(trx, checkpoints.sign({ ...row, pruned: 1 }));
          }
          return broken;
        },
        { makesRoom: true },
      ),
  };

  async function writeWith(trx: Transaction, entry: AuditedAct): Promise<void> {
    const now = clock.now();
    const segment = await openDay(trx, dayOf(now));
    const seq = segment.first_seq + segment.lines;
    const line: AuditLine = { seq, time: new Date(now).toISOString(), ...entry, previous: segment.hash };
    const text = JSON.stringify(line);
    const bound = { seq, at: now, operator_id: entry.operator.id, act: entry.act };
    await store.insertLine(trx, {
      ...bound,
      sealed: sealer.seal(Buffer.from(text), tables.audit_lines.places.sealed(bound)),
    });
    await store.updateSegment(trx, checkpoints.sign({ ...segment, lines: segment.lines + 1, hash: hashLine(text) }));
  }

  /** Days are numbered without a gap, so that no time of a line has to be looked at. */
  async function linesOf(fromDay = '', untilDay = '9999-12-31', before = Number.MAX_SAFE_INTEGER) {
    const days = (await store.listSegments()).filter(({ day }) => day >= fromDay && day <= untilDay);
    const [first, last] = [days[0], days.at(-1)];
    if (!first || !last) return { from: 1, before: 1 };
    return { from: first.first_seq, before: Math.min(before, last.first_seq + last.lines) };
  }

  /** Begins it where it has not begun. A clock that is set back goes on in the day that there is. */
  async function openDay(trx: Transaction, day: string): Promise<SegmentRow> {
    const newest = await store.lockNewest(trx);
    if (newest && !checkpoints.holds(newest)) {
      throw new AppError(
        'unavailable',
        'The audit log was changed from outside, so nothing is done in the console until somebody has looked at it (limen audit verify).',
      );
    }
    if (newest && newest.day >= day) return newest;
    const begun = checkpoints.sign({
      day,
      first_seq: newest ? newest.first_seq + newest.lines : 1,
      lines: 0,
      start: newest?.hash ?? CHAIN_START,
      hash: newest?.hash ?? CHAIN_START,
      pruned: 0,
    });
    // Of the very first ones at once, the second finds the day there and waits for it.
    return (await store.insertSegment(trx, begun)) ? begun : openDay(trx, day);
  }
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/** The text of a line, exactly as it was hashed; throws when the row was edited. */
export function openLine(sealer: Pick<Sealer, 'open'>, row: LineRow): string {
  return sealer.open(row.sealed, tables.audit_lines.places.sealed(row)).toString();
}

function readLine(sealer: Pick<Sealer, 'open'>, row: LineRow): AuditLine | undefined {
  try {
    return JSON.parse(openLine(sealer, row)) as AuditLine;
  } catch {
    return undefined;
  }
}

export type RecordAct = (act: Act, about?: string) => Promise<void>;

type AuditActor = Pick<AuditedAct, 'operator' | 'from'>;

export function recordAs(audit: Pick<AuditLog, 'write'>, actor: AuditActor): RecordAct {
  return (act, about) => audit.write(entryOf(actor, act, about));
}

/** For what may still be refused: the line is part of the transaction that does it. */
export function recordWith(
  audit: Pick<AuditLog, 'writeWith'>,
  actor: AuditActor,
  act: Act,
  about: string,
): InTransaction {
  return (trx) => audit.writeWith(trx, entryOf(actor, act, about));
}

function entryOf({ operator, from }: AuditActor, act: Act, about: string | undefined): AuditedAct {
  return { operator, act, ...(about !== undefined && { about: about.slice(0, MAX_ABOUT_LENGTH) }), from };
}

/** AuditActor for the command line on this machine, and for the service itself */
export const THIS_MACHINE: AuditActor = { operator: COMMAND_LINE, from: hostname() };

export function recordAsCommandLine(audit: Pick<AuditLog, 'write'>): RecordAct {
  return recordAs(audit, THIS_MACHINE);
}

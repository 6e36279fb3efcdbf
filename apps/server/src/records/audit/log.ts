// Records what operators do and look at. A line is on disk before anything is shown, and in the transaction of the act. If it cannot be
// written, nothing is done. Each line is linked to the previous one, and each day ends in a signed checkpoint.
import { hostname } from 'node:os';
import { AppError } from '../../platform/base/errors.ts';
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';
import type { Core } from '../../platform/core.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import { CHAIN_START, formatDay, hashLine } from '../../platform/sealing/hash-chain.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { MAX_ABOUT_LENGTH } from '../limits.ts';
import { tables } from '../tables.ts';
import { type Act, COMMAND_LINE } from './acts.ts';
import { type Checkpoints, readDays, type SegmentRow } from './checkpoints.ts';
import type { AuditStore, LineFilter, LineRow } from './store.ts';

const DAY_MS = 86_400_000;

/** Act of an operator. It holds no search text, and nothing personal except about operators. */
export interface AuditedAct {
  /** An unknown operator has no role. */
  operator: { id: OperatorId; name: string; role: Role | null };
  act: Act;
  about?: string;
  from: string;
}

interface AuditLine extends Omit<AuditedAct, 'act'> {
  act: string;
  seq: number;
  time: string;
  previous: string;
}

export function createAuditLog(
  { database, sealer, clock }: Pick<Core, 'database' | 'sealer' | 'clock'>,
  store: AuditStore,
  checkpoints: Checkpoints,
) {
  return {
    /** Resolves when the line is on disk. If it rejects, the caller must neither do nor show anything. */
    write: (entry: AuditedAct) => database.transact((trx) => writeWith(trx, entry)),
    /** Writes a line within the transaction of the recorded act. A refused act leaves no line. */
    writeWith,

    /** Lists the newest lines first, from and until the given days (UTC, such as 2026-03-01). */
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

    /** Deletes the lines of days that ended `days` ago. Returns the first day with a problem; that day, the one before and later ones stay. */
    prune: (days: number) =>
      database.transact(
        async (trx) => {
          const oldest = formatDay(clock.now() - days * DAY_MS);
          const { sound, broken } = readDays(checkpoints, await store.listSegments(trx));
          // The next day confirms each of these, so only correct checkpoints are signed again, and the newest day stays.
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
    const segment = await openDay(trx, formatDay(now));
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

  /** Finds the range of lines. They are numbered without gaps, so their times need not be read. */
  async function linesOf(fromDay = '', untilDay = '9999-12-31', before = Number.MAX_SAFE_INTEGER) {
    const days = (await store.listSegments()).filter(({ day }) => day >= fromDay && day <= untilDay);
    const [first, last] = [days[0], days.at(-1)];
    if (!first || !last) return { from: 1, before: 1 };
    return { from: first.first_seq, before: Math.min(before, last.first_seq + last.lines) };
  }

  /** Begins the day if needed. After the clock was set back, the newest day continues. */
  async function openDay(trx: Transaction, day: string): Promise<SegmentRow> {
    const newest = await store.lockNewest(trx);
    if (newest && !checkpoints.holds(newest)) {
      throw new AppError(
        'unavailable',
        'The audit log was changed outside Limen, so the console is locked until an operator has checked it (limen audit verify).',
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
    // If two processes write the very first lines, the second waits for the day of the first.
    return (await store.insertSegment(trx, begun)) ? begun : openDay(trx, day);
  }
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Returns the text of a line, as it was hashed. Throws if the row was edited. */
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
  return (act, about) => audit.write(createEntry(actor, act, about));
}

/** Returns a writer for the transaction of an act that may still be refused. */
export function createActRecorder(
  audit: Pick<AuditLog, 'writeWith'>,
  actor: AuditActor,
  act: Act,
  about: string,
): InTransaction {
  return (trx) => audit.writeWith(trx, createEntry(actor, act, about));
}

function createEntry({ operator, from }: AuditActor, act: Act, about: string | undefined): AuditedAct {
  return { operator, act, ...(about !== undefined && { about: about.slice(0, MAX_ABOUT_LENGTH) }), from };
}

/** Actor for the command line on this machine, and for the service itself. */
export const THIS_MACHINE: AuditActor = { operator: COMMAND_LINE, from: hostname() };

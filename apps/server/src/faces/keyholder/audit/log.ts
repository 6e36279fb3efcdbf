// Writes one line per decision of the key-holder, each with the hash of the previous line: a file per day, with a retention period.
import { CHAIN_START, formatDay, hashLine } from '../../../platform/sealing/hash-chain.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { AttemptSubject, ChallengeRequest } from '../link/calls.ts';
import type { KeyHolderStore, Rows } from '../store/store.ts';
import type { ChainHead, Segment } from './chain.ts';
import type { AuditShelf } from './shelf.ts';

const DAY_MS = 86_400_000;
/** After a leap of the clock, nothing is deleted for this long, so that an operator can correct it. */
const LEAP_MS = 7 * DAY_MS;

type AuditOutcome =
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

/** One decision, without scores or biometric data. */
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
  answers?: number;
  facts?: AttemptSubject['facts'];
}

export type Audit = ReturnType<typeof createAudit>;

interface AuditOptions {
  store: KeyHolderStore;
  shelf: AuditShelf;
  days: number;
  onHeld: (isHeld: boolean) => void;
}

export function createAudit({ store, shelf, days, onHeld }: AuditOptions) {
  const record = createAuditRecord(store.sealer);
  let lastDay: string | undefined;
  let heldUntil: number | undefined;

  /** Holds deletion back after a leap of the clock, which would end lines before their time. */
  async function watchClock(rows: Rows): Promise<void> {
    const before = lastDay ?? (await record.start(rows))?.day ?? formatDay(rows.now);
    lastDay = formatDay(rows.now);
    // A correction of the clock around midnight may go back by a day.
    const isLeap = before < formatDay(rows.now - LEAP_MS) || before > formatDay(rows.now + DAY_MS);
    if (isLeap) heldUntil = rows.steady + LEAP_MS;
    else if (heldUntil === undefined || rows.steady < heldUntil) return;
    else heldUntil = undefined;
    onHeld(isLeap);
  }

  /** Puts the present lines away when their day is over. A clock that is set back begins no new day. */
  async function turnPage(rows: Rows): Promise<void> {
    await watchClock(rows);
    const last = await record.head(rows);
    const start = await record.start(rows);
    if (!last || !start || last.lines === 0 || start.day >= formatDay(rows.now)) return;
    const number = await record.nextNumber(rows);
    const { lines, bytes, hash } = last;
    const segment = { number, day: start.day, lines, start: start.hash, hash, pruned: 0 as const };
    if (!shelf.putAway(segment, bytes)) return;
    await record.addSegment(rows, segment);
    await record.putHead(rows, { lines: 0, bytes: 0, hash });
    await prune(rows);
  }

  /** Deletes lines whose time is over. Their checkpoints stay. */
  async function prune(rows: Rows): Promise<void> {
    if (heldUntil !== undefined) return;
    for (const segment of await record.listKept(rows, formatDay(rows.now - days * DAY_MS))) {
      await shelf.remove(rows, segment);
      await record.markPruned(rows, segment);
    }
  }

  return {
    async findFault(rows: Rows): Promise<string | undefined> {
      try {
        await record.head(rows);
      } catch (error) {
        if (error instanceof EditedHeadError) return error.message;
        throw error;
      }
    },
    /** Commits the line with the transaction. Throws if it cannot be written: then there is no answer either. */
    async write(rows: Rows, entry: DecisionEntry): Promise<void> {
      await turnPage(rows);
      const last = await record.head(rows);
      const { lines, bytes } = shelf.prepare(last);
      const previous = last?.hash ?? CHAIN_START;
      if (lines === 0) await record.putStart(rows, { day: formatDay(rows.now), hash: previous });
      const line = JSON.stringify({ time: new Date(rows.now).toISOString(), ...entry, previous });
      await shelf.put(rows, lines + 1, line);
      const written = Buffer.byteLength(line) + 1;
      await record.putHead(rows, { lines: lines + 1, bytes: bytes + written, hash: hashLine(line) });
    },
    tidy: () =>
      store.transact(async (rows) => {
        await turnPage(rows);
        await prune(rows);
      }),
  };
}

class EditedHeadError extends Error {}

interface ChainStart {
  day: string;
  hash: string;
}

/** The audit's own rows, under MACs: end of the chain, start of the present day, and a lasting checkpoint of each past day. */
export function createAuditRecord(sealer: Sealer) {
  const macOfHead = ({ lines, bytes, hash }: ChainHead) => sealer.digest('audit head', `${lines} ${bytes} ${hash}`);
  const macOfSegment = ({ number, day, lines, start, hash, pruned }: Segment) =>
    sealer.digest('audit segment', `${number} ${day} ${lines} ${start} ${hash} ${pruned}`);
  return {
    async head(rows: Rows): Promise<ChainHead | undefined> {
      const row = await rows.get<ChainHead & { mac: Uint8Array }>`select lines, bytes, hash, mac from audit_head`;
      if (!row) return undefined;
      const { mac, ...head } = row;
      if (!macOfHead(head).equals(mac)) throw new EditedHeadError('the head of the audit chain was changed');
      return head;
    },
    async putHead(rows: Rows, head: ChainHead): Promise<void> {
      await rows.run`insert into audit_head (one, lines, bytes, hash, mac) values (1, ${head.lines}, ${head.bytes}, ${head.hash}, ${macOfHead(head)}) on conflict (one) do update set lines = excluded.lines, bytes = excluded.bytes, hash = excluded.hash, mac = excluded.mac`;
    },
    start: (rows: Rows) => rows.get<ChainStart>`select day, hash from audit_start`,
    async putStart(rows: Rows, { day, hash }: ChainStart): Promise<void> {
      await rows.run`insert into audit_start (one, hash, mac, day) values (1, ${hash}, ${sealer.digest('audit start', hash)}, ${day}) on conflict (one) do update set hash = excluded.hash, mac = excluded.mac, day = excluded.day`;
    },
    async nextNumber(rows: Rows): Promise<number> {
      return (await rows.get<{
        number: number;
      }>`select coalesce(max(number), 0) + 1 as number from audit_segments`)!.number;
    },
    async addSegment(rows: Rows, segment: Segment): Promise<void> {
      const { number, day, lines, start, hash, pruned } = segment;
      await rows.run`insert into audit_segments (number, day, lines, start, hash, pruned, mac) values (${number}, ${day}, ${lines}, ${start}, ${hash}, ${pruned}, ${macOfSegment(segment)})`;
    },
    async markPruned(rows: Rows, segment: Segment): Promise<void> {
      const mac = macOfSegment({ ...segment, pruned: 1 });
      await rows.run`update audit_segments set pruned = 1, mac = ${mac} where number = ${segment.number}`;
    },
    listKept: (rows: Rows, before: string) =>
      rows.all<Segment>`select number, day, lines, start, hash, pruned from audit_segments where pruned = 0 and day < ${before} order by number`,
  };
}

// What is known of the audit beside its lines, each under a MAC: where the chain ends, where the present day began, and a checkpoint
// of each day that is over, which stays when its lines' time is over.
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { Rows } from '../store/store.ts';
import type { ChainHead, Segment } from './chain.ts';

const HEAD_PURPOSE = 'audit head';
const START_PURPOSE = 'audit start';
const SEGMENT_PURPOSE = 'audit segment';

/** Someone edited the row that says where the chain ends. */
export class EditedHeadError extends Error {}

/** Start of the present day. */
interface ChainStart {
  day: string;
  hash: string;
}

export function createAuditRecord(sealer: Sealer) {
  const macOfHead = ({ lines, bytes, hash }: ChainHead) => sealer.digest(HEAD_PURPOSE, `${lines} ${bytes} ${hash}`);
  const macOfSegment = ({ number, day, lines, start, hash, pruned }: Segment) =>
    sealer.digest(SEGMENT_PURPOSE, `${number} ${day} ${lines} ${start} ${hash} ${pruned}`);
  return {
    /** Returns the head of the chain. Throws EditedHeadError if its MAC does not verify. */
    async head(rows: Rows): Promise<ChainHead | undefined> {
      const row = await rows.get<ChainHead & { mac: Uint8Array }>('select lines, bytes, hash, mac from audit_head');
      if (!row) return undefined;
      const { lines, bytes, hash } = row;
      if (!macOfHead({ lines, bytes, hash }).equals(row.mac))
        throw new EditedHeadError('the head of the audit chain was changed');
      return { lines, bytes, hash };
    },
    async putHead(rows: Rows, head: ChainHead): Promise<void> {
      await rows.run(
        'insert into audit_head (one, lines, bytes, hash, mac) values (1, ?, ?, ?, ?) on conflict (one) do update set lines = excluded.lines, bytes = excluded.bytes, hash = excluded.hash, mac = excluded.mac',
        ...[head.lines, head.bytes, head.hash, macOfHead(head)],
      );
    },
    start: (rows: Rows) => rows.get<ChainStart>('select day, hash from audit_start'),
    async putStart(rows: Rows, { day, hash }: ChainStart): Promise<void> {
      await rows.run(
        'insert into audit_start (one, hash, mac, day) values (1, ?, ?, ?) on conflict (one) do update set hash = excluded.hash, mac = excluded.mac, day = excluded.day',
        ...[hash, sealer.digest(START_PURPOSE, hash), day],
      );
    },
    /** The number of the day that is going on. */
    async nextNumber(rows: Rows): Promise<number> {
      return (await rows.get<{ number: number }>(`select ${NEXT_SEGMENT} as number`))!.number;
    },
    async addSegment(rows: Rows, segment: Segment): Promise<void> {
      const { number, day, lines, start, hash, pruned } = segment;
      await rows.run(
        'insert into audit_segments (number, day, lines, start, hash, pruned, mac) values (?, ?, ?, ?, ?, ?, ?)',
        ...[number, day, lines, start, hash, pruned, macOfSegment(segment)],
      );
    },
    /** Records that its lines are deleted. */
    async markPruned(rows: Rows, segment: Segment): Promise<void> {
      const mac = macOfSegment({ ...segment, pruned: 1 });
      await rows.run('update audit_segments set pruned = 1, mac = ? where number = ?', mac, segment.number);
    },
    /** Returns the segments before a day that are not pruned, in order. */
    listKept: (rows: Rows, before: string = '9999-12-31') =>
      rows.all<Segment>(
        'select number, day, lines, start, hash, pruned from audit_segments where pruned = 0 and day < ? order by number',
        before,
      ),
  };
}

/** As part of a statement. */
export const NEXT_SEGMENT = '(select coalesce(max(number), 0) + 1 from audit_segments)';

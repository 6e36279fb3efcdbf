// Where the lines of the audit are kept: in files beside the key-holder's own, or in rows of the database that several share.
import type { Rows } from '../rows.ts';
import type { ChainHead, Segment } from './chain.ts';

export interface AuditShelf {
  /** How many lines and bytes the next one follows: fewer than were written where somebody has cut them off or put them away. */
  prepare(last: ChainHead | undefined): Pick<ChainHead, 'lines' | 'bytes'>;
  /** The nth line of the present day; it lasts if the transaction does. */
  put(rows: Rows, nth: number, line: string): Promise<void>;
  /** The present lines are those of this day from now on; false when they are not there. Whole again after a crash in it. */
  putAway(segment: Segment, bytes: number): boolean;
  /** Deletes the lines of a day that was put away. */
  remove(rows: Rows, segment: Segment): Promise<void>;
}

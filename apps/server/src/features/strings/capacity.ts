// Keeps the store below MAX_STRINGS without counting a million rows at every write.
//
// One process knows its own writes exactly. What other processes on the same database do is seen at the next recount,
// so that the bound may be overshot by what they write in between, never by what this one does.
import { AppError } from '../../platform/errors.ts';

const RECOUNT_MS = 60_000;
const RECOUNT_WHEN_FULL_MS = 1_000;

export interface Capacity {
  /** Brings the count up to date where it is due. Not to be called inside a transaction: it asks the database. */
  refresh(): Promise<void> | undefined;
  /** Runs a write that adds one row, or refuses with 507 when the store is full. */
  addOne<T>(write: () => Promise<T>): Promise<T>;
  removedOne(): void;
}

interface CapacityOptions {
  max: number;
  countRows: () => Promise<number>;
  /** Milliseconds on a clock that never jumps. */
  now?: () => number;
}

export function createCapacity({ max, countRows, now = () => performance.now() }: CapacityOptions): Capacity {
  let stored = 0;
  let underWay = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  /** Rows added since the count that is under way began; it may or may not have seen them. */
  let addedMeanwhile = 0;

  function recount(olderThanMs: number): Promise<void> | undefined {
    if (now() - countedAt < olderThanMs) return undefined;
    if (!counting) addedMeanwhile = 0;
    counting ??= countRows()
      .then((count) => {
        stored = count + addedMeanwhile;
        countedAt = now();
      })
      .finally(() => {
        counting = undefined;
      });
    return counting;
  }

  return {
    refresh: () => recount(stored + underWay >= max ? RECOUNT_WHEN_FULL_MS : RECOUNT_MS),
    async addOne(write) {
      if (stored + underWay >= max) {
        throw new AppError('store_full', `The store is full at ${max} strings; delete some first.`);
      }
      underWay += 1;
      try {
        const result = await write();
        stored += 1;
        addedMeanwhile += 1;
        return result;
      } finally {
        underWay -= 1;
      }
    },
    removedOne() {
      stored = Math.max(0, stored - 1);
    },
  };
}

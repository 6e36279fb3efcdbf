// Keeps a store below a number of rows and bytes without counting all of them at every write.
//
// A process knows its own writes exactly and sees those of other processes at the next count. Counts become more frequent as the
// store fills up, so that other processes exceed the limit at most by their writes of one second.

const COUNT_AFTER_MS = 60_000;
const COUNT_AGAIN_MS = 1_000;
/** Part of the free room that this process may fill before it counts again. */
const PART_OF_FREE = 1 / 8;

export interface Amount {
  rows: number;
  bytes: number;
}

interface CapacityOptions {
  max: Amount;
  count: () => Promise<Amount>;
  /** Milliseconds on a clock that never jumps. */
  now?: (() => number) | undefined;
}

const NOTHING: Amount = { rows: 0, bytes: 0 };

export type Capacity = ReturnType<typeof createCapacity>;

export function createCapacity({ max, count, now = () => performance.now() }: CapacityOptions) {
  let stored = NOTHING;
  let underWay = NOTHING;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  /** Added by this process since the latest count began, which may or may not have seen it. */
  let addedSince = NOTHING;
  let removals = 0;

  const free = () => subtract(max, sum(stored, underWay));

  function isDue(): boolean {
    const ageMs = now() - countedAt;
    const { rows, bytes } = free();
    const isFilling = addedSince.rows >= rows * PART_OF_FREE || addedSince.bytes >= bytes * PART_OF_FREE;
    return ageMs >= COUNT_AFTER_MS || (ageMs >= COUNT_AGAIN_MS && isFilling);
  }

  async function countAgain(): Promise<void> {
    addedSince = NOTHING;
    const removedBefore = removals;
    const counted = await count();
    stored = sum(counted, addedSince);
    // A row that was removed during the count may be included.
    countedAt = removals === removedBefore ? now() : Number.NEGATIVE_INFINITY;
  }

  /** Twice at most: a count that was under way already may have missed a removal. */
  async function catchUp(): Promise<void> {
    for (let round = 0; round < 2 && isDue(); round += 1) {
      counting ??= countAgain().finally(() => {
        counting = undefined;
      });
      await counting;
    }
  }

  return {
    /** Counts again if that is due. Must not be called inside a transaction: it asks the database. */
    refresh: (): Promise<void> | undefined => (isDue() ? catchUp() : undefined),
    get freeRows(): number {
      return Math.max(0, free().rows);
    },
    /** Reserves room for a write; undefined if there is not enough. The returned function ends the write and takes what was added. */
    reserve(wanted: Amount): ((added: Amount) => void) | undefined {
      const { rows, bytes } = free();
      if (wanted.rows > rows || wanted.bytes > bytes) return undefined;
      underWay = sum(underWay, wanted);
      return (added: Amount) => {
        underWay = subtract(underWay, wanted);
        stored = sum(stored, added);
        addedSince = sum(addedSince, added);
      };
    },
    removed(amount: Amount): void {
      removals += 1;
      stored = subtract(stored, amount);
    },
  };
}

function sum(a: Amount, b: Amount): Amount {
  return { rows: a.rows + b.rows, bytes: a.bytes + b.bytes };
}

function subtract(a: Amount, b: Amount): Amount {
  return { rows: a.rows - b.rows, bytes: a.bytes - b.bytes };
}

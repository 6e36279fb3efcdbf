// Keeps a store below a number of rows and bytes without counting all of them at every write. A process sees the writes of other
// processes at the next count. Counts become more frequent as the store fills up, so that the limit is exceeded by at most the other
// processes' writes of one second.

const COUNT_AFTER_MS = 60_000;
const COUNT_AGAIN_MS = 1_000;
/** Share of the free room that this process may fill before it counts again. */
const PART_OF_FREE = 1 / 8;

export interface Amount {
  rows: number;
  bytes: number;
}

const NOTHING: Amount = { rows: 0, bytes: 0 };

export type Capacity = ReturnType<typeof createCapacity>;

/** `now`: milliseconds on a monotonic clock. */
export function createCapacity({
  max,
  count,
  now = () => performance.now(),
}: {
  max: Amount;
  count: () => Promise<Amount>;
  now?: () => number;
}) {
  let stored = NOTHING;
  let reserved = NOTHING;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  let addedSince = NOTHING;
  let removals = 0;

  const free = () => subtract(max, sum(stored, reserved));

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

  /** Counts at most twice: a count that had already begun may have missed a removal. */
  async function catchUp(): Promise<void> {
    for (let round = 0; round < 2 && isDue(); round += 1) {
      counting ??= countAgain().finally(() => {
        counting = undefined;
      });
      await counting;
    }
  }

  return {
    /** Counts again if that is due. Must not be called inside a transaction. */
    refresh: (): Promise<void> | undefined => (isDue() ? catchUp() : undefined),
    get freeRows(): number {
      return Math.max(0, free().rows);
    },
    /** Reserves room for a write. Returns undefined if there is not enough, otherwise a function to call with the added amount. */
    reserve(wanted: Amount): ((added: Amount) => void) | undefined {
      const { rows, bytes } = free();
      if (wanted.rows > rows || wanted.bytes > bytes) return undefined;
      reserved = sum(reserved, wanted);
      return (added: Amount) => {
        reserved = subtract(reserved, wanted);
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

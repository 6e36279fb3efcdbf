// Does long work in pieces, so that what others ask for meanwhile is answered in between.

/** A frame of guidance takes as long, and nobody notices one that is late by another. */
const LONGEST_MS = 40;

/** Replaced by tests. */
export interface Clock {
  now(): number;
  /** Lets all go first that came by then. */
  breathe(): Promise<void>;
}

const BROWSER: Clock = {
  now: () => performance.now(),
  // Messages are not among what a promise alone would let go first.
  breathe: () => new Promise((resolve) => setTimeout(resolve)),
};

/** Before the first piece as well: other long work may have come before it. */
export async function takeBreaths<Result>(work: Generator<void, Result>, clock: Clock = BROWSER): Promise<Result> {
  await clock.breathe();
  for (let since = clock.now(); ; ) {
    const { done, value } = work.next();
    if (done) return value;
    if (clock.now() - since < LONGEST_MS) continue;
    await clock.breathe();
    since = clock.now();
  }
}

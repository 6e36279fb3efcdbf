// Runs long work in slices, so that other messages are answered in between.

/** Duration of a guidance frame. A delay by one frame is not noticeable. */
const MAX_SLICE_MS = 40;

/** Replaced in tests. */
export interface Clock {
  now(): number;
  /** Runs all pending events first. */
  yieldToEvents(): Promise<void>;
}

const BROWSER: Clock = {
  now: () => performance.now(),
  // A promise alone would not let pending messages run.
  yieldToEvents: () => new Promise((resolve) => setTimeout(resolve)),
};

/** Also yields before the first slice, because other long work may have preceded it. */
export async function runInSlices<Result>(work: Generator<void, Result>, clock: Clock = BROWSER): Promise<Result> {
  await clock.yieldToEvents();
  for (let since = clock.now(); ; ) {
    const { done, value } = work.next();
    if (done) return value;
    if (clock.now() - since < MAX_SLICE_MS) continue;
    await clock.yieldToEvents();
    since = clock.now();
  }
}

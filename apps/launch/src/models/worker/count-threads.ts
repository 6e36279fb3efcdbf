interface BrowserParts {
  crossOriginIsolated?: boolean;
  navigator: { hardwareConcurrency?: number };
}

const MAX_THREADS = 4;

/**
 * Returns the number of threads for a worker's models. One core is left to the page, and the
 * workers share the rest. The runtime's threads spin: on two busy cores, two threads took three
 * times as long for an examination as one.
 */
export function countThreads({ crossOriginIsolated = false, navigator }: BrowserParts, workers: number): number {
  // Threads need shared memory, which requires an isolated page.
  if (!crossOriginIsolated) return 1;
  const share = Math.floor(((navigator.hardwareConcurrency ?? 1) - 1) / workers);
  return Math.min(Math.max(share, 1), MAX_THREADS);
}

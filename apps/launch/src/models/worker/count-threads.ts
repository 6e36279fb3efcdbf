// How many threads the models get.

interface BrowserParts {
  crossOriginIsolated?: boolean;
  navigator: { hardwareConcurrency?: number };
}

const MAX_THREADS = 4;

/**
 * One core is left to the camera and the page. The runtime's threads wait for each other busily: on two busy cores, two of
 * them took three times as long for an examination as one.
 */
export function countThreads({ crossOriginIsolated = false, navigator }: BrowserParts): number {
  // Threads share memory, which a page gets only when it is isolated.
  if (!crossOriginIsolated) return 1;
  return Math.min(Math.max((navigator.hardwareConcurrency ?? 1) - 1, 1), MAX_THREADS);
}

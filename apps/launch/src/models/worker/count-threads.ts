// How many threads the models of a worker get.

interface BrowserParts {
  crossOriginIsolated?: boolean;
  navigator: { hardwareConcurrency?: number };
}

const MAX_THREADS = 4;

/**
 * One core is left to the camera and the page, and the others are shared between the workers. The runtime's threads wait for each
 * other busily: on two busy cores, two of them took three times as long for an examination as one.
 */
export function countThreads({ crossOriginIsolated = false, navigator }: BrowserParts, workers: number): number {
  // Threads share memory, which a page gets only when it is isolated.
  if (!crossOriginIsolated) return 1;
  const share = Math.floor(((navigator.hardwareConcurrency ?? 1) - 1) / workers);
  return Math.min(Math.max(share, 1), MAX_THREADS);
}

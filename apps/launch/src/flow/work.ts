// Runs one task at a time: claiming, capturing, following or canceling.

export type RunningWork = ReturnType<typeof createWork>;

/** Reason for aborting a task in favor of another. Not a failure. */
const SUPERSEDED = Symbol('superseded');

export function createWork(ended: AbortSignal, onFailure: (error: unknown) => void) {
  let running = new AbortController();

  function stop(): void {
    running.abort(SUPERSEDED);
    running = new AbortController();
  }

  return {
    /** Aborts the current task and starts this one. Does nothing once the end is shown. */
    run(errand: (control: AbortController) => Promise<void>): void {
      if (ended.aborted) return;
      stop();
      const control = running;
      errand(control).catch((error: unknown) => {
        // An aborted task rejects in many ways; the signal has the actual reason.
        const reason = control.signal.aborted ? control.signal.reason : error;
        if (reason !== SUPERSEDED) onFailure(reason);
      });
    },
    stop,
  };
}

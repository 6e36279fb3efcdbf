// The one thing that goes on at a time: claiming, capturing, following or cancelling.

export type RunningWork = ReturnType<typeof createWork>;

/** Why work was given up for other work; nobody is told. */
const SUPERSEDED = Symbol('superseded');

export function createWork(ended: AbortSignal, onFailure: (error: unknown) => void) {
  let running = new AbortController();

  function stop(): void {
    running.abort(SUPERSEDED);
    running = new AbortController();
  }

  return {
    /** Ends what goes on, and begins this. Does nothing once the end is shown. */
    run(errand: (control: AbortController) => Promise<void>): void {
      if (ended.aborted) return;
      stop();
      const control = running;
      errand(control).catch((error: unknown) => {
        // What was aborted says so; why is in the reason.
        const reason = control.signal.aborted ? control.signal.reason : error;
        if (reason !== SUPERSEDED) onFailure(reason);
      });
    },
    /** Ends what goes on. */
    stop,
  };
}

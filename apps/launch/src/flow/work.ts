// The one thing that goes on at a time: claiming, capturing, following or cancelling.

export interface Work {
  /** Ends what goes on, and begins this. Does nothing once the end is shown. */
  run(errand: (control: AbortController) => Promise<void>): void;
  /** Ends what goes on. */
  stop(): void;
}

/** Why work was given up for other work; nobody is told. */
const SUPERSEDED = Symbol('superseded');

export function createWork(ended: AbortSignal, onFailure: (error: unknown) => void): Work {
  let running = new AbortController();

  function stop(): void {
    running.abort(SUPERSEDED);
    running = new AbortController();
  }

  return {
    run(errand) {
      if (ended.aborted) return;
      stop();
      const control = running;
      errand(control).catch((error: unknown) => {
        // What was aborted says so; why is in the reason.
        const reason = control.signal.aborted ? control.signal.reason : error;
        if (reason !== SUPERSEDED) onFailure(reason);
      });
    },
    stop,
  };
}

// Waits at the start for a PostgreSQL that is unavailable or read-only, and reports why it cannot be used.
import { setTimeout as pause } from 'node:timers/promises';
import { describeCause, isLockedOut, isRefused, isUnavailable, LOCKED_OUT } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';

export interface Patience {
  forMs: number;
  onWaiting(reason: string): void;
}

const RETRY_MS = 250;

/** Retries `open`. `settings` names the settings with the address and with the time to wait. */
export async function whenItAnswers<T>(
  { forMs, onWaiting }: Patience,
  settings: { url: string; wait: string },
  open: () => Promise<T>,
): Promise<T> {
  const giveUpAt = performance.now() + forMs;
  let lastReason: string | undefined;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isUnavailable(error) || isRefused(error)) throw error;
      const reason = describeCause(error);
      if (performance.now() >= giveUpAt) {
        if (isLockedOut(error)) throw new StartError(LOCKED_OUT, { cause: error });
        const seconds = Math.round(forMs / 1000);
        throw new StartError(
          `The database cannot be used (${reason})${seconds > 0 ? `; the start waited ${seconds} s for it` : ''}. ` +
            `Check ${settings.url} and that the server is running; ${settings.wait} says how long to wait for it.`,
          { cause: error },
        );
      }
      if (reason !== lastReason) onWaiting(reason);
      lastReason = reason;
      await pause(RETRY_MS);
    }
  }
}

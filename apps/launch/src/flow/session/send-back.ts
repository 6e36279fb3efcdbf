// Redirects the person to the host: automatically after a moment, or on their request.

import type { EndScreen, Screen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';

/** How long the end is shown before the redirect. A failure takes longer to read. */
const READ_DONE_MS = 2_500;
const READ_END_MS = 10_000;

export type SendBack = ReturnType<typeof createSendBack>;

export function createSendBack(platform: Pick<Platform, 'after' | 'staysAtEnd' | 'leaveFor' | 'hasHost'>) {
  let stopTimer: (() => void) | undefined;

  function now(screen: Screen): boolean {
    if (screen.name !== 'end' || (screen.redirectUrl === null && !platform.hasHost())) return true;
    stopTimer?.();
    return platform.leaveFor(screen.redirectUrl);
  }

  /** Returns undefined if the end stays. */
  function getReadingMs({ how, redirectUrl, keep, returnCode }: EndScreen): number | undefined {
    // The code is read here and typed on another device.
    if (returnCode) return undefined;
    // A varying delay would reveal the outcome to the embedding page.
    if (platform.hasHost()) return READ_END_MS;
    // Waits for the answer to an offer.
    if (redirectUrl === null || keep) return undefined;
    return how === 'done' ? READ_DONE_MS : READ_END_MS;
  }

  return {
    /** Redirects once, and not from a page that the person came back to. */
    later(screen: EndScreen): void {
      stopTimer?.();
      const readingMs = getReadingMs(screen);
      if (readingMs === undefined) return;
      stopTimer = platform.after(readingMs, () => {
        if (!platform.staysAtEnd()) now(screen);
      });
    },
    /** Cancels the automatic redirect after the person started something else. */
    notByItself: (): void => stopTimer?.(),
    /** Redirects now. Returns false if that is not possible. */
    now,
  };
}

// Takes the person back to the host once they have read how it ended: by itself after a moment, or when they want to.

import type { EndScreen, Screen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';

/** How long the end is shown before the person is taken back. What went wrong takes longer to read. */
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

  /** Undefined where the end stays. */
  function readingMsOf({ how, redirectUrl, keep, returnCode }: EndScreen): number | undefined {
    // Is read and typed elsewhere.
    if (returnCode) return undefined;
    // A page around the frame would learn from anything else how the check came out.
    if (platform.hasHost()) return READ_END_MS;
    // Who is asked something goes when they have answered.
    if (redirectUrl === null || keep) return undefined;
    return how === 'done' ? READ_DONE_MS : READ_END_MS;
  }

  return {
    /** Once, and not from a page that somebody came back to. */
    later(screen: EndScreen): void {
      stopTimer?.();
      const readingMs = readingMsOf(screen);
      if (readingMs === undefined) return;
      stopTimer = platform.after(readingMs, () => {
        if (!platform.staysAtEnd()) now(screen);
      });
    },
    /** The person has begun something else there, and goes when they want to. */
    notByItself: (): void => stopTimer?.(),
    /** False where the way is closed from here. */
    now,
  };
}

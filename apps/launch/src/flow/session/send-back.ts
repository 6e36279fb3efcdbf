// Takes the person back to the host once they have read how it ended: by itself after a moment, or when they want to.

import type { EndScreen, Screen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';

/** How long the end is shown before the person is taken back. What went wrong takes longer to read. */
const READ_DONE_MS = 2_500;
const READ_END_MS = 10_000;

export interface SendBack {
  /** Once, and not from a page that somebody came back to. */
  later(screen: EndScreen): void;
  /** False where the way is closed from here. */
  now(screen: Screen): boolean;
}

export function createSendBack(platform: Pick<Platform, 'after' | 'staysAtEnd' | 'leaveFor'>): SendBack {
  let stopTimer: (() => void) | undefined;

  function now(screen: Screen): boolean {
    if (screen.name !== 'end' || screen.redirectUrl === null) return true;
    stopTimer?.();
    return platform.leaveFor(screen.redirectUrl);
  }

  return {
    later(screen) {
      // Who is asked something goes when they have answered.
      if (screen.redirectUrl === null || screen.keep) return;
      stopTimer = platform.after(screen.how === 'done' ? READ_DONE_MS : READ_END_MS, () => {
        if (!platform.staysAtEnd()) now(screen);
      });
    },
    now,
  };
}

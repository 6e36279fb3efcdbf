// Notices when the person was not alone in the picture for more than a moment: gone, or with somebody else.

/** A head that turns far is lost for less; and one frame may be wrong, however few of them there are in a second. */
const MOMENT_MS = 1_000;
const MOMENT_FRAMES = 2;

export function createPresence() {
  let lastAlone: number | null = null;
  let frames = 0;
  return {
    /** True once for each time, when it has lasted too long. */
    isInterrupted(people: number, timeMs: number): boolean {
      if (people === 1) {
        lastAlone = timeMs;
        frames = 0;
        return false;
      }
      frames += 1;
      if (lastAlone === null || timeMs - lastAlone <= MOMENT_MS || frames < MOMENT_FRAMES) return false;
      lastAlone = null;
      return true;
    },
    /** After a pause, of which nobody knows anything. */
    clear(): void {
      lastAlone = null;
      frames = 0;
    },
  };
}

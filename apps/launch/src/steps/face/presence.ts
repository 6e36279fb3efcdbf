// Detects that the person was gone or not alone for more than a moment.

/** A far turn loses the head for less, and a single frame may be wrong. */
const MAX_ABSENCE_MS = 1_000;
const MIN_ABSENCE_FRAMES = 2;

export function createPresence() {
  let lastAlone: number | null = null;
  let frames = 0;
  return {
    /** Returns true once per interruption, when it has lasted too long. */
    isInterrupted(people: number, timeMs: number): boolean {
      if (people === 1) {
        lastAlone = timeMs;
        frames = 0;
        return false;
      }
      frames += 1;
      if (lastAlone === null || timeMs - lastAlone <= MAX_ABSENCE_MS || frames < MIN_ABSENCE_FRAMES) return false;
      lastAlone = null;
      return true;
    },
    clear(): void {
      lastAlone = null;
      frames = 0;
    },
  };
}

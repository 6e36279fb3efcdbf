/** Tolerated mistakes of the face step, counted over all attempts and restarts. */
export interface Tally {
  /** Changes of person during the movements. */
  changes: number;
  interruptions: number;
}

export function createTally(): Tally {
  return { changes: 0, interruptions: 0 };
}

// What has gone wrong before the camera so far, and will be forgiven only so often.

/** Over all attempts and looks, also where the step is begun anew: whoever tries again has not made a first mistake twice. */
export interface Tally {
  /** Somebody else was there in the middle. */
  changes: number;
  interruptions: number;
}

export function createTally(): Tally {
  return { changes: 0, interruptions: 0 };
}

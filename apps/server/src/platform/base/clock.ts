// Clock as a parameter, so that tests can set the time.
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Whether nothing may be deleted or ended by this clock. Absent on an unwatched clock. */
  isWrong?(): boolean;
}

export const systemClock: Clock = { now: () => Date.now() };

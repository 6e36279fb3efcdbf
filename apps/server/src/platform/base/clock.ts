// The time as a parameter, so that tests can set it.
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Whether nothing may be deleted or ended by this clock now. Absent on a clock that nothing is compared with. */
  isWrong?(): boolean;
}

export const systemClock: Clock = { now: () => Date.now() };

// What a session's course says about who went through it: facts as counted, and the figures that flags compare.

export interface BehaviorFacts {
  /** From the plan being served to the answer, by the server's clock; null when no answer came. */
  captureMs: number | null;
  /** From each challenge being shown to it being done, in the order of the plan. */
  challengeMs: readonly number[];
  /** Entries of the step log that are earlier than the entry before them. */
  logOrderBreaks: number;
  /** How much longer the step log lasted than the server's clock between plan and answer; negative is fine. */
  logOverrunMs: number;
  retries: number;
  /** For each handoff, from its code being made to the claim. */
  handoffMs: readonly number[];
  thirdDeviceAttempts: number;
  deviceMismatches: number;
  /** Different answers after the first; the identical envelope again is a lost reply and not counted. */
  replayAttempts: number;
  outOfPlanAnswers: number;
}

/** Null: there is nothing to measure. */
export interface BehaviorMeasures {
  captureMs: number | null;
  fastestChallengeMs: number | null;
  slowestChallengeMs: number | null;
  challengeSpreadMs: number | null;
  logOrderBreaks: number;
  logOverrunMs: number;
  retries: number;
  handoffs: number;
  fastestHandoffMs: number | null;
  thirdDeviceAttempts: number;
  deviceMismatches: number;
  replayAttempts: number;
  outOfPlanAnswers: number;
}

/** Fewer response times than this agree by chance. */
const SPREAD_MIN_CHALLENGES = 3;

export function measureBehavior({ challengeMs, handoffMs, ...counted }: BehaviorFacts): BehaviorMeasures {
  const fastest = challengeMs.length > 0 ? Math.min(...challengeMs) : null;
  const slowest = challengeMs.length > 0 ? Math.max(...challengeMs) : null;
  const enough = challengeMs.length >= SPREAD_MIN_CHALLENGES && slowest !== null && fastest !== null;
  return {
    ...counted,
    fastestChallengeMs: fastest,
    slowestChallengeMs: slowest,
    challengeSpreadMs: enough ? slowest - fastest : null,
    handoffs: handoffMs.length,
    fastestHandoffMs: handoffMs.length > 0 ? Math.min(...handoffMs) : null,
  };
}

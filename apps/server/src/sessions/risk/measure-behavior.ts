// Behavior of a session's devices: counted facts, and the measures that flags compare.

export interface BehaviorFacts {
  /** From plan to answer by the server's clock; null without an answer, or if the clock was set back */
  captureMs: number | null;
  stepsStarted: number;
  /** From showing to completing each challenge, in the order of the plan */
  challengeMs: readonly number[];
  /** From the first color of the light to the last; 0 without light */
  lightMs: number;
  logOrderBreaks: number;
  /** How much longer the step log lasted than the server's clock; negative is fine */
  logOverrunMs: number;
  retries: number;
  handoffMs: readonly number[];
  /** Calls signed by foreign keys, and claims by a third device. Anyone with the link can make them. */
  otherDeviceAttempts: number;
  /** Answers made for another session or plan. Later ones do not change the sealed result. */
  replayAttempts: number;
  outOfPlanAnswers: number;
  handoffNumbersWrong: number;
}

export type BehaviorMeasures = ReturnType<typeof measureBehavior>;

const SPREAD_MIN_CHALLENGES = 3;

export function measureBehavior(facts: BehaviorFacts) {
  const { captureMs, stepsStarted, challengeMs, lightMs, handoffMs, ...counted } = facts;
  const fastest = challengeMs.length > 0 ? Math.min(...challengeMs) : null;
  const slowest = challengeMs.length > 0 ? Math.max(...challengeMs) : null;
  const enough = challengeMs.length >= SPREAD_MIN_CHALLENGES && slowest !== null && fastest !== null;
  return {
    ...counted,
    // People do nothing else while the light is shown.
    captureMsPerStep: captureMs === null ? null : (captureMs - lightMs) / Math.max(1, stepsStarted),
    fastestChallengeMs: fastest,
    slowestChallengeMs: slowest,
    challengeSpreadMs: enough ? slowest - fastest : null,
    handoffs: handoffMs.length,
    fastestHandoffMs: handoffMs.length > 0 ? Math.min(...handoffMs) : null,
  };
}

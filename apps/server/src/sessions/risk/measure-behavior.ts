// Behavior of a session's devices: counted facts, and the measures that flags compare.

export interface BehaviorFacts {
  /** From plan to answer by the server's clock; null without an answer, or if the clock was set back */
  captureMs: number | null;
  /** Steps of the plan that were started */
  stepsStarted: number;
  /** From showing to completing each challenge, in the order of the plan */
  challengeMs: readonly number[];
  /** From the first color of the light to the last; 0 without light */
  lightMs: number;
  /** Step log entries earlier than the entry before */
  logOrderBreaks: number;
  /** How much longer the step log lasted than the server's clock; negative is fine */
  logOverrunMs: number;
  retries: number;
  /** From code to claim of each handoff */
  handoffMs: readonly number[];
  /** Calls signed by foreign keys, and claims by a third device. Anyone with the link can make them. */
  otherDeviceAttempts: number;
  /** Answers made for another session or plan. Later ones do not change the sealed result. */
  replayAttempts: number;
  outOfPlanAnswers: number;
  /** Handoffs that ended because of a wrongly picked number */
  handoffNumbersWrong: number;
}

export type BehaviorMeasures = ReturnType<typeof measureBehavior>;

/** Fewer response times agree by chance. */
const SPREAD_MIN_CHALLENGES = 3;

/** Measures are null if there is nothing to measure. */
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

// What a session's course says about who went through it: facts as counted, and the figures that flags compare.

export interface BehaviorFacts {
  /** From the plan being served to the answer, by the server's clock; null when no answer came or that was set back. */
  captureMs: number | null;
  /** Steps of the plan that began. */
  stepsStarted: number;
  /** From each challenge being shown to it being done, in the order of the plan. */
  challengeMs: readonly number[];
  /** From the first colour of the light to the last; 0 without any. */
  lightMs: number;
  /** Entries of the step log that are earlier than the entry before them. */
  logOrderBreaks: number;
  /** How much longer the step log lasted than the server's clock between plan and answer; negative is fine. */
  logOverrunMs: number;
  retries: number;
  /** For each handoff, from its code being made to the claim. */
  handoffMs: readonly number[];
  /** Signed calls by a key that does not belong to the session, and claims by a third device. Whoever has the link can make them. */
  otherDeviceAttempts: number;
  /** Answers made for another session or plan. One after the end changes nothing of the sealed result, this included. */
  replayAttempts: number;
  outOfPlanAnswers: number;
  /** Handoffs that ended because somebody picked another number than was shown. */
  handoffNumbersWrong: number;
}

export type BehaviorMeasures = ReturnType<typeof measureBehavior>;

/** Fewer response times than this agree by chance. */
const SPREAD_MIN_CHALLENGES = 3;

/** A figure is null if there is nothing to measure. */
export function measureBehavior(facts: BehaviorFacts) {
  const { captureMs, stepsStarted, challengeMs, lightMs, handoffMs, ...counted } = facts;
  const fastest = challengeMs.length > 0 ? Math.min(...challengeMs) : null;
  const slowest = challengeMs.length > 0 ? Math.max(...challengeMs) : null;
  const enough = challengeMs.length >= SPREAD_MIN_CHALLENGES && slowest !== null && fastest !== null;
  return {
    ...counted,
    // Nothing else is done while the light is shown.
    captureMsPerStep: captureMs === null ? null : (captureMs - lightMs) / Math.max(1, stepsStarted),
    fastestChallengeMs: fastest,
    slowestChallengeMs: slowest,
    challengeSpreadMs: enough ? slowest - fastest : null,
    handoffs: handoffMs.length,
    fastestHandoffMs: handoffMs.length > 0 ? Math.min(...handoffMs) : null,
  };
}

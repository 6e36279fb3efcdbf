// Follows a person through the plan's challenges, frame by frame.
import type { Movement } from '@limen/plan';
import { type BaselineCollector, createBaselineCollector } from './baseline.ts';
import {
  type Baseline,
  type ChallengeObservation,
  type ChallengeRules,
  type Change,
  DEFAULT_CHALLENGE_RULES,
  isAtRest,
  looksFlat,
  measureChange,
} from './challenge-rules.ts';
import { MOVEMENT_KINDS, type MovementKind } from './movement-kinds.ts';

export type ChallengeEvent =
  | { type: 'shown'; index: number }
  | { type: 'done'; index: number }
  /** All challenges restart, after a new look at rest. */
  | { type: 'retried' }
  | { type: 'failed'; reason: 'spoof' | 'unanswered' };

/** `resting` and `returning`: look ahead, before and after a challenge (`asking`). */
export type ChallengePhase = 'resting' | 'asking' | 'returning' | 'passed' | 'failed';

export type ChallengeRun = ReturnType<typeof createChallengeRun>;

export function createChallengeRun(
  challenges: readonly Movement[],
  options: Pick<ChallengeRules, 'challengeMs'> & Partial<ChallengeRules>,
) {
  const rules: ChallengeRules = { ...DEFAULT_CHALLENGE_RULES, ...options };
  let phase: ChallengePhase = challenges.length > 0 ? 'resting' : 'passed';
  let index = 0;
  let attempt = 1;
  let now = -Infinity;
  let phaseSince = 0;
  let collector: BaselineCollector = createBaselineCollector(rules);
  let baseline: Baseline | null = null;
  let follow: ReturnType<MovementKind['follow']> | undefined;
  let flatFrames = 0;
  let flatSeconds = 0;
  let flatSince = -Infinity;

  function enter(next: ChallengePhase): void {
    phase = next;
    phaseSince = now;
    follow = undefined;
  }

  function show(): ChallengeEvent[] {
    enter('asking');
    return [{ type: 'shown', index }];
  }

  function fail(reason: 'spoof' | 'unanswered'): ChallengeEvent[] {
    enter('failed');
    return [{ type: 'failed', reason }];
  }

  function startOver(): void {
    index = 0;
    baseline = null;
    collector = createBaselineCollector(rules);
    flatFrames = 0;
    enter(challenges.length > 0 ? 'resting' : 'passed');
  }

  function retry(): ChallengeEvent[] {
    if (attempt >= rules.maxAttempts) return fail('unanswered');
    attempt += 1;
    startOver();
    return [{ type: 'retried' }];
  }

  function finish(): ChallengeEvent[] {
    const events: ChallengeEvent[] = [{ type: 'done', index }];
    index += 1;
    enter(index === challenges.length ? 'passed' : 'returning');
    return events;
  }

  /** Counted over all attempts, because a restart does not clear a moved picture. */
  function countFlat(change: Change): void {
    flatFrames = looksFlat(change, rules) ? flatFrames + 1 : 0;
    if (flatFrames < rules.holdFrames || now - flatSince < 1_000) return;
    flatSeconds += 1;
    flatSince = now;
  }

  return {
    /** Restarts everything after an interruption, with a new look at rest. Uses up no attempt. */
    startOver,
    /** Restarts everything after a rejected movement, and uses up the attempt. */
    retry,
    get phase(): ChallengePhase {
      return phase;
    },
    get index(): number {
      return index;
    },
    /** `observation`: null without exactly one face. Backward times are treated as equal. */
    observe(observation: ChallengeObservation | null, nowMs: number): ChallengeEvent[] {
      now = Math.max(now, nowMs);
      if (phase === 'passed' || phase === 'failed') return [];
      if (phase === 'resting' || !baseline) {
        baseline = observation ? collector.add(observation) : null;
        return baseline ? show() : [];
      }

      if (now - phaseSince > rules.challengeMs) return retry();
      if (!observation) {
        follow = undefined;
        return [];
      }
      const change = measureChange(baseline, observation);
      countFlat(change);
      if (flatSeconds >= rules.flatSeconds) return fail('spoof');
      if (phase === 'returning') return isAtRest(change, rules) ? show() : [];
      follow ??= MOVEMENT_KINDS[challenges[index]!].follow(rules);
      return follow(observation, change) ? finish() : [];
    },
  };
}

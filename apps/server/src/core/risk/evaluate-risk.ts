// Turns browser signals and a session's course into a score, a level and a recommendation.
import type { DocumentSign, Indicators, RiskEvaluation, RiskSignal } from '@limen/contract';
import { type BehaviorFacts, measureBehavior } from './measure-behavior.ts';
import {
  BEHAVIOR_FLAGS,
  BROWSER_FLAGS,
  type BrowserFlag,
  DOCUMENT_FLAGS,
  LEVELS,
  NEW_DEVICE_FLAG,
} from './risk-table.ts';

export interface RiskFacts {
  /** Null without browser data. */
  indicators: Indicators | null;
  /** Null when nobody opened the session. */
  behavior: BehaviorFacts | null;
  /** What makes the document doubtful; empty without one. */
  documentSigns: readonly DocumentSign[];
  flowStatus: 'COMPLETED' | 'CANCELLED' | 'EXPIRED';
  hasErrors: boolean;
  /** The service recognised a face on a device that it does not know as this person's, and nothing else speaks for it. */
  isNewDevice?: boolean;
  /** Area D has no signal of behaviour: what would be in it counts all the same. */
  tellsBehavior?: boolean;
}

interface Weighed {
  code: string;
  weight: number;
}

export function evaluateRisk(facts: RiskFacts): RiskEvaluation {
  const { indicators, behavior, documentSigns, flowStatus, hasErrors } = facts;
  const { isNewDevice = false, tellsBehavior = true } = facts;
  const browser = indicators && listBrowserFlags(indicators);
  const doubts = documentSigns.map((sign) => DOCUMENT_FLAGS[sign]);
  const behavioral =
    behavior || doubts.length > 0 ? [...(behavior ? listBehaviorFlags(behavior) : []), ...doubts] : null;
  const { score, flags } = addUp([
    ...(behavioral ?? []),
    ...(browser ?? []),
    ...(isNewDevice ? [NEW_DEVICE_FLAG] : []),
  ]);
  const level = levelOf(score);
  return {
    score,
    level,
    recommendation: recommend(level, flowStatus === 'COMPLETED' && !hasErrors && !isNewDevice),
    flags,
    signals: {
      behavioral: behavioral && tellsBehavior ? addUp(behavioral) : null,
      browser: browser && addUp(browser),
    },
  };
}

function recommend(level: RiskEvaluation['level'], endedWell: boolean): RiskEvaluation['recommendation'] {
  if (level === 'CRITICAL') return 'BLOCK';
  return level === 'LOW' && endedWell ? 'ALLOW' : 'REVIEW';
}

function listBrowserFlags(indicators: Indicators): BrowserFlag[] {
  return Object.entries(BROWSER_FLAGS).flatMap(([group, flags]) => {
    const seen: Record<string, boolean> = indicators[group as keyof Indicators];
    return Object.entries<BrowserFlag>(flags).flatMap(([indicator, flag]) => (seen[indicator] ? [flag] : []));
  });
}

function listBehaviorFlags(facts: BehaviorFacts): Weighed[] {
  const measures = measureBehavior(facts);
  return BEHAVIOR_FLAGS.filter((flag) => {
    const value = measures[flag.measure];
    if (value === null) return false;
    // Negated, so that a figure that is no number raises the flag instead of slipping through.
    return 'below' in flag ? !(value >= flag.below) : !(value < flag.atLeast);
  });
}

/** A sum, so that another flag never lowers the score. */
function addUp(flags: readonly Weighed[]): RiskSignal {
  const sum = flags.reduce((total, { weight }) => total + weight, 0);
  const heaviestFirst = [...flags].sort((one, other) => other.weight - one.weight);
  return { score: Math.min(100, sum), flags: heaviestFirst.map(({ code }) => code) };
}

/** What the browser's signals alone would come to. */
export function browserLevel(indicators: Indicators): RiskEvaluation['level'] {
  return levelOf(addUp(listBrowserFlags(indicators)).score);
}

function levelOf(score: number): RiskEvaluation['level'] {
  return LEVELS.findLast(({ from }) => score >= from)?.level ?? 'LOW';
}

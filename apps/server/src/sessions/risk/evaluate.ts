// Turns browser signals, a session's course and what its end found into a score, a level and a recommendation.
import type { Indicators, LightPolicy, RiskEvaluation, RiskSignal } from '@limen/contract';
import type { CameraSign, DocumentSign, LightFinding } from '@limen/plan';
import type { FlowStatus } from '../lifecycle/rules.ts';
import { type BehaviorFacts, measureBehavior } from './measure-behavior.ts';
import {
  BEHAVIOR_FLAGS,
  BROWSER_FLAGS,
  type BrowserFlag,
  CAMERA_FLAGS,
  DOCUMENT_FLAGS,
  FINDING_FLAGS,
  type Finding,
  LEVELS,
  type RiskFlag,
} from './table.ts';

/** Nothing here has a default: a caller that forgets what it knows would recommend too much. */
export interface RiskFacts {
  /** Null without browser data. */
  indicators: Indicators | null;
  /** What is odd about the camera; empty where nothing is known to be. */
  cameraSigns: readonly CameraSign[];
  /** Null when nobody opened the session. */
  behavior: BehaviorFacts | null;
  /** What makes the document doubtful; empty without one. */
  documentSigns: readonly DocumentSign[];
  findings: readonly Finding[];
  /** Raised beside what the facts raise: the test mode. */
  madeUp: readonly RiskFlag[];
  flowStatus: FlowStatus;
  hasErrors: boolean;
  /** Whether the session found what it was to find: an age at or above the threshold, or the person. */
  passed: boolean;
  /** Whether a session that went from one device to another may pass all the same. */
  mayCrossDevices: boolean;
  /** Verification sessions have no signal of behaviour on the wire: what would be in it counts all the same. */
  tellsBehavior: boolean;
}

/** The one finding that counts with the browser's signals, where it is seen beside those that are missing. */
const OF_BROWSER: Finding = 'browserDataMissing';

export type Recommendation = RiskEvaluation['recommendation'];

export function evaluateRisk(facts: RiskFacts): RiskEvaluation {
  const { indicators, cameraSigns, behavior, documentSigns, findings, madeUp, flowStatus, hasErrors, passed } = facts;
  const browser: RiskFlag[] = [
    ...(indicators ? listBrowserFlags(indicators) : []),
    ...cameraSigns.map((sign) => CAMERA_FLAGS[sign]),
    ...(lacksBrowserData(facts) ? [FINDING_FLAGS.browserDataMissing] : []),
  ];
  const behavioral: RiskFlag[] = [
    ...(behavior ? listBehaviorFlags(behavior) : []),
    ...documentSigns.map((sign) => DOCUMENT_FLAGS[sign]),
    ...findings.filter((finding) => finding !== OF_BROWSER).map((finding) => FINDING_FLAGS[finding]),
    ...(hasCrossed(facts) ? [crossDeviceFlag(facts.mayCrossDevices)] : []),
  ];
  behavioral.push(...madeUp.filter(({ code }) => ![...behavioral, ...browser].some((flag) => flag.code === code)));
  const raised = [...behavioral, ...browser];
  const { score, flags } = addUp(raised);
  const level = levelOf(score);
  const endedWell = flowStatus === 'COMPLETED' && !hasErrors && passed;
  return {
    score,
    level,
    recommendation: recommend(level, endedWell, raised),
    flags,
    signals: { behavioral: facts.tellsBehavior ? addUp(behavioral) : null, browser: addUp(browser) },
  };
}

/** What hosts act on: everything may lower it, nothing lifts it. */
function recommend(level: RiskEvaluation['level'], endedWell: boolean, raised: readonly RiskFlag[]): Recommendation {
  if (level === 'CRITICAL' || raised.some(({ atBest }) => atBest === 'BLOCK')) return 'BLOCK';
  return level === 'LOW' && endedWell && raised.every(({ atBest }) => atBest === undefined) ? 'ALLOW' : 'REVIEW';
}

function lacksBrowserData({ findings, madeUp }: RiskFacts): boolean {
  const { code } = FINDING_FLAGS[OF_BROWSER];
  return findings.includes(OF_BROWSER) || madeUp.some((flag) => flag.code === code);
}

function hasCrossed({ behavior, madeUp }: RiskFacts): boolean {
  const { code } = FINDING_FLAGS.crossDevice;
  return (behavior !== null && behavior.handoffMs.length > 0) || madeUp.some((flag) => flag.code === code);
}

function crossDeviceFlag(mayPass: boolean): RiskFlag {
  const { code, weight, atBest } = FINDING_FLAGS.crossDevice;
  return mayPass ? { code, weight } : { code, weight, atBest };
}

function listBrowserFlags(indicators: Indicators): BrowserFlag[] {
  return Object.entries(BROWSER_FLAGS).flatMap(([group, flags]) => {
    const seen: Record<string, boolean> = indicators[group as keyof Indicators];
    return Object.entries<BrowserFlag>(flags).flatMap(([indicator, flag]) => (seen[indicator] ? [flag] : []));
  });
}

function listBehaviorFlags(facts: BehaviorFacts): RiskFlag[] {
  const measures = measureBehavior(facts);
  return BEHAVIOR_FLAGS.filter((flag) => {
    const value = measures[flag.measure];
    if (value === null) return false;
    // Negated, so that a figure that is no number raises the flag instead of slipping through.
    return 'below' in flag ? !(value >= flag.below) : !(value < flag.atLeast);
  });
}

/** A sum, so that another flag never lowers the score. */
function addUp(flags: readonly RiskFlag[]): RiskSignal {
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

const FINDINGS: Readonly<Record<LightFinding, readonly Finding[]>> = {
  lit: [],
  not_lit: ['lightNotAsDrawn'],
  inconclusive: ['lightInconclusive'],
  declined: ['lightInconclusive'],
};

/** `face` is undefined where none was judged. A spoof says nothing of light, and needs none to be refused. */
export function listLightFindings(
  face: { spoof: boolean; light?: LightFinding } | undefined,
  policy: LightPolicy | undefined,
): Finding[] {
  if (!face || face.spoof) return [];
  const isMissing = policy === 'required' && face.light !== 'lit';
  return [...(face.light ? FINDINGS[face.light] : []), ...(isMissing ? (['lightRequired'] as const) : [])];
}

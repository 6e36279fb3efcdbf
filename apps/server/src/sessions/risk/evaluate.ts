// Evaluates risk: turns signals and findings into a score, a level and a recommendation.
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

/** No field has a default: a caller that forgets a fact would recommend too much. */
export interface RiskFacts {
  indicators: Indicators | null;
  cameraSigns: readonly CameraSign[];
  behavior: BehaviorFacts | null;
  documentSigns: readonly DocumentSign[];
  findings: readonly Finding[];
  madeUp: readonly RiskFlag[];
  flowStatus: FlowStatus;
  hasErrors: boolean;
  /** Whether the session found an age at or above the threshold, or the person */
  passed: boolean;
  mayCrossDevices: boolean;
  /** Whether the behavioral signal is reported. It counts in any case. */
  tellsBehavior: boolean;
}

const OF_BROWSER: Finding = 'browserDataMissing';

export type Recommendation = RiskEvaluation['recommendation'];

const isRaised = (flags: readonly RiskFlag[], { code }: RiskFlag) => flags.some((flag) => flag.code === code);

export function evaluateRisk(facts: RiskFacts): RiskEvaluation {
  const { indicators, cameraSigns, behavior, documentSigns, findings, madeUp, flowStatus, hasErrors, passed } = facts;
  const lacksBrowserData = findings.includes(OF_BROWSER) || isRaised(madeUp, FINDING_FLAGS[OF_BROWSER]);
  const hasCrossed = (behavior?.handoffMs.length ?? 0) > 0 || isRaised(madeUp, FINDING_FLAGS.crossDevice);
  const browser: RiskFlag[] = [
    ...(indicators ? listBrowserFlags(indicators) : []),
    ...cameraSigns.map((sign) => CAMERA_FLAGS[sign]),
    ...(lacksBrowserData ? [FINDING_FLAGS[OF_BROWSER]] : []),
  ];
  const behavioral: RiskFlag[] = [
    ...(behavior ? listBehaviorFlags(behavior) : []),
    ...documentSigns.map((sign) => DOCUMENT_FLAGS[sign]),
    ...findings.filter((finding) => finding !== OF_BROWSER).map((finding) => FINDING_FLAGS[finding]),
    ...(hasCrossed ? [crossDeviceFlag(facts.mayCrossDevices)] : []),
  ];
  behavioral.push(...madeUp.filter((flag) => !isRaised([...behavioral, ...browser], flag)));
  const raised = [...behavioral, ...browser];
  const { score, flags } = addUp(raised);
  const level = findLevel(score);
  const endedWell = flowStatus === 'COMPLETED' && !hasErrors && passed;
  return {
    score,
    level,
    recommendation: recommend(level, endedWell, raised),
    flags,
    signals: { behavioral: facts.tellsBehavior ? addUp(behavioral) : null, browser: addUp(browser) },
  };
}

/** Returns what hosts act on. Flags and levels can only lower it. */
function recommend(level: RiskEvaluation['level'], endedWell: boolean, raised: readonly RiskFlag[]): Recommendation {
  if (level === 'CRITICAL' || raised.some(({ atBest }) => atBest === 'BLOCK')) return 'BLOCK';
  return level === 'LOW' && endedWell && raised.every(({ atBest }) => atBest === undefined) ? 'ALLOW' : 'REVIEW';
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
    // Negated, so that NaN raises the flag.
    return 'below' in flag ? !(value >= flag.below) : !(value < flag.atLeast);
  });
}

/** Adds weights up, so that another flag never lowers the score. */
function addUp(flags: readonly RiskFlag[]): RiskSignal {
  const sum = flags.reduce((total, { weight }) => total + weight, 0);
  const heaviestFirst = [...flags].sort((a, b) => b.weight - a.weight);
  return { score: Math.min(100, sum), flags: heaviestFirst.map(({ code }) => code) };
}

export function browserLevel(indicators: Indicators): RiskEvaluation['level'] {
  return findLevel(addUp(listBrowserFlags(indicators)).score);
}

function findLevel(score: number): RiskEvaluation['level'] {
  return LEVELS.findLast(({ from }) => score >= from)?.level ?? 'LOW';
}

const FINDINGS: Readonly<Record<LightFinding, readonly Finding[]>> = {
  lit: [],
  not_lit: ['lightNotAsDrawn'],
  inconclusive: ['lightInconclusive'],
  declined: ['lightInconclusive'],
};

/** `face`: undefined if none was judged. The light of a spoof is not judged. */
export function listLightFindings(
  face: { spoof: boolean; light?: LightFinding } | undefined,
  policy: LightPolicy | undefined,
): Finding[] {
  if (!face || face.spoof) return [];
  const isMissing = policy === 'required' && face.light !== 'lit';
  return [...(face.light ? FINDINGS[face.light] : []), ...(isMissing ? (['lightRequired'] as const) : [])];
}

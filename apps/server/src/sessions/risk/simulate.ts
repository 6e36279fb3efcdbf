// Risk in test mode: browser signals and flags that a host wants to see handled.
import { Indicators, type LightPolicy } from '@limen/contract';
import { AGE_ERROR_CODES, CAMERA_SIGN_NAMES } from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';
import {
  BEHAVIOR_FLAGS,
  BROWSER_FLAGS,
  type BrowserFlag,
  CAMERA_FLAGS,
  DOCUMENT_FLAGS,
  FINDING_FLAGS,
  type Finding,
  type RiskFlag,
} from './table.ts';

type WantedIndicators = { [G in keyof Indicators]?: { [I in keyof Indicators[G]]?: boolean } };

export interface WantedRisk {
  flags?: readonly string[];
  indicators?: WantedIndicators;
}

export interface RiskCircumstances {
  handoff: boolean;
  light: 'none' | 'not_asked' | LightPolicy;
  /** Whether a face that is not lit as drawn is a spoof */
  lightEnforced: boolean;
  camera: boolean;
  document: boolean;
  documentFile: boolean;
}

/** Findings that outcomes or other flags raise by themselves. Raised alone, they could contradict the result. */
const NOT_RAISABLE: readonly string[] = [
  'faceSpoof',
  'faceMismatch',
  'ageBelow',
  'ageBelowBound',
  'ageKeyUsed',
  'walletUsed',
  'lightRequired',
] satisfies Finding[];

const OF_HANDOFF: ReadonlySet<string> = new Set([
  FINDING_FLAGS.crossDevice.code,
  ...BEHAVIOR_FLAGS.filter(({ measure }) => /handoff/i.test(measure)).map(({ code }) => code),
]);
const OF_LIGHT: readonly string[] = [FINDING_FLAGS.lightNotAsDrawn.code, FINDING_FLAGS.lightInconclusive.code];
const OF_CAMERA = Object.values(CAMERA_FLAGS).map(({ code }) => code);
const OF_DOCUMENT = Object.values(DOCUMENT_FLAGS).map(({ code }) => code);

const INDICATORS = Object.entries(BROWSER_FLAGS).flatMap(([group, flags]) =>
  Object.entries<BrowserFlag>(flags).map(([name, { code }]) => ({ group, name, code })),
);

type RiskyKind = 'age' | 'verification';

export function listRaisable(kind: RiskyKind): string[] {
  return [...listOthers(kind), ...INDICATORS, ...Object.values(CAMERA_FLAGS)].map(({ code }) => code);
}

export function withReason<Wanted extends WantedRisk & { errorCode?: number }>(wanted: Wanted): Wanted {
  if (wanted.errorCode !== AGE_ERROR_CODES.payloadReplayed) return wanted;
  return { ...wanted, flags: [...(wanted.flags ?? []), 'BEHAVIOR_REPLAY'] };
}

export function makeUpRisk(kind: RiskyKind, { flags = [], indicators }: WantedRisk, places: RiskCircumstances) {
  const required = flags.indexOf(FINDING_FLAGS.lightRequired.code);
  if (required >= 0) {
    throw invalid(
      `body.flags.${required}`,
      'cannot be raised by itself: it comes with another flag of the light in a session with light "required"',
    );
  }
  const raisable = listRaisable(kind);
  const unknown = flags.findIndex((code) => !raisable.includes(code));
  if (unknown >= 0) {
    throw invalid(
      `body.flags.${unknown}`,
      `cannot be raised: it is unknown, or an outcome raises it by itself; the flags to choose from are: ${raisable.join(', ')}`,
    );
  }
  for (const [index, code] of flags.entries()) {
    const problem = findMissingPlace(code, places);
    if (problem !== undefined) throw invalid(`body.flags.${index}`, `cannot be raised: ${problem}`);
  }
  const ofLight = flags.filter((code) => OF_LIGHT.includes(code));
  if (new Set(ofLight).size > 1) throw invalid('body.flags', `cannot have both of ${ofLight.join(' and ')}`);
  if (indicators) requireKnown(indicators);
  const raised = INDICATORS.filter(({ code }) => flags.includes(code));
  const isLightMissing = places.light === 'required' && ofLight.length > 0;
  const hasBrowser = indicators !== undefined || raised.length > 0;
  const missing = flags.indexOf(FINDING_FLAGS.browserDataMissing.code);
  if (missing >= 0 && hasBrowser) {
    throw invalid(`body.flags.${missing}`, 'cannot be raised together with indicators or flags that are browser data');
  }
  return {
    indicators: hasBrowser ? fillIndicators(indicators ?? {}, raised) : null,
    cameraSigns: CAMERA_SIGN_NAMES.filter((sign) => flags.includes(CAMERA_FLAGS[sign].code)),
    flags: [
      ...listOthers(kind).filter(({ code }) => flags.includes(code)),
      ...(isLightMissing ? [FINDING_FLAGS.lightRequired] : []),
    ],
  };
}

/** Returns why the session cannot show what raises this flag, or undefined if it can. */
function findMissingPlace(code: string, places: RiskCircumstances): string | undefined {
  const { handoff, light, lightEnforced, camera, document, documentFile } = places;
  if (OF_HANDOFF.has(code) && !handoff) return 'the session stays on one device, its handoff is "refuse"';
  if (OF_LIGHT.includes(code)) {
    if (light === 'none') {
      return 'no living face is found on the way to this outcome; choose one in which a face is, in a session with a face step';
    }
    if (light === 'not_asked') {
      return 'the service asks for no light (LIGHT_CHALLENGE=off); create the session with light "optional" or "required"';
    }
  }
  if (code === FINDING_FLAGS.lightNotAsDrawn.code && lightEnforced) {
    return 'with LIGHT_CHALLENGE=enforce such a face is a spoof; simulate the outcome spoof';
  }
  if (OF_CAMERA.includes(code) && !camera) {
    return 'no face is shown to the camera on the way to this outcome, and the signs of a stream are seen then';
  }
  if (OF_DOCUMENT.includes(code) && !document) return 'this session reads no document on the way to this outcome';
  if (code === DOCUMENT_FLAGS.file.code && !documentFile) {
    return 'only age sessions with enableDocumentFile accept an image file of a document';
  }
  return undefined;
}

/** Refuses unknown names. Ignoring a typo would hide what the host wanted to try. */
function requireKnown(wanted: WantedIndicators): void {
  const groups = Object.keys(Indicators.properties);
  for (const [group, requested] of Object.entries(wanted)) {
    if (!groups.includes(group)) {
      throw invalid(`body.indicators.${group}`, `is not a group of indicators; there are: ${groups.join(', ')}`);
    }
    const names = namesIn(group);
    const unknown = Object.keys(requested).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw invalid(
        `body.indicators.${group}.${unknown}`,
        `is not an indicator of this group; there are: ${names.join(', ')}`,
      );
    }
  }
}

function listOthers(kind: RiskyKind): RiskFlag[] {
  const findings = Object.entries<RiskFlag>(FINDING_FLAGS).filter(([name]) => {
    return !NOT_RAISABLE.includes(name) && (kind === 'verification' || name !== 'newDevice');
  });
  return [...findings.map(([, flag]) => flag), ...BEHAVIOR_FLAGS, ...Object.values(DOCUMENT_FLAGS)];
}

function fillIndicators(wanted: WantedIndicators, raised: readonly { group: string; name: string }[]): Indicators {
  const groups = Object.keys(Indicators.properties).map((group) => {
    const requested: Record<string, boolean> = wanted[group as keyof Indicators] ?? {};
    const isRaised = (name: string) => raised.some((flag) => flag.group === group && flag.name === name);
    return [
      group,
      Object.fromEntries(namesIn(group).map((name) => [name, requested[name] === true || isRaised(name)])),
    ];
  });
  return Object.fromEntries(groups);
}

function namesIn(group: string): string[] {
  return INDICATORS.filter((indicator) => indicator.group === group).map(({ name }) => name);
}

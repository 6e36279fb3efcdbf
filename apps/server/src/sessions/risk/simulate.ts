// What the test mode adds to a session's risk: browser signals and flags that a host wants to see handled.

import { Indicators, type LightPolicy } from '@limen/contract';
import { AGE_ERROR_CODES, CAMERA_SIGN_NAMES, type CameraSign } from '@limen/plan';
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

/** As a host asks for it: what is left out is false. */
type WantedIndicators = { [G in keyof Indicators]?: { [I in keyof Indicators[G]]?: boolean } };

export interface WantedRisk {
  flags?: readonly string[];
  indicators?: WantedIndicators;
}

/** What the session and its end have a place for. */
export interface RiskPlaces {
  /** Whether the session may change devices. */
  handoff: boolean;
  /** Whether there is a face to be lit, whether it is asked for, and whether it must be. */
  light: 'none' | 'not_asked' | LightPolicy;
  /** Whether a face that is not lit as drawn is a spoof. */
  lightEnforced: boolean;
  /** Whether a face is shown to the camera. */
  camera: boolean;
  /** Whether a document is read. */
  document: boolean;
  /** Whether it may be a picture file. */
  documentFile: boolean;
}

interface MadeUpRisk {
  /** Null where no browser signal was asked for. */
  indicators: Indicators | null;
  cameraSigns: CameraSign[];
  /** Those that nothing of the browser's or the camera's raises. */
  flags: RiskFlag[];
}

/** What these say the outcome says already: a result in which the two disagree could not come from a device. */
const SAID_BY_OUTCOME: readonly Finding[] = [
  ...(['faceSpoof', 'faceMismatch', 'ageBelow', 'ageBelowBound'] as const),
  ...(['ageKeyUsed', 'walletUsed'] as const),
];
/** Raised beside the others of the light, where the session requires it. */
const BESIDE_OTHERS: readonly Finding[] = ['lightRequired'];
/** Where people are enrolled. */
const OF_VERIFICATION: readonly Finding[] = ['newDevice'];

const OF_HANDOFF: ReadonlySet<string> = new Set([
  FINDING_FLAGS.crossDevice.code,
  ...BEHAVIOR_FLAGS.filter(({ measure }) => /handoff/i.test(measure)).map(({ code }) => code),
]);
const OF_LIGHT: ReadonlySet<string> = new Set([
  FINDING_FLAGS.lightNotAsDrawn.code,
  FINDING_FLAGS.lightInconclusive.code,
]);
const OF_CAMERA: ReadonlySet<string> = new Set(Object.values(CAMERA_FLAGS).map(({ code }) => code));
const OF_DOCUMENT: ReadonlySet<string> = new Set(Object.values(DOCUMENT_FLAGS).map(({ code }) => code));

const INDICATORS = Object.entries(BROWSER_FLAGS).flatMap(([group, flags]) =>
  Object.entries<BrowserFlag>(flags).map(([name, { code }]) => ({ group, name, code })),
);

/** The kinds of session, of which this room knows only that they raise different flags. */
type RiskyKind = 'age' | 'verification';

/** Codes that can be asked for, in the order of the table. */
export function listRaisable(kind: RiskyKind): string[] {
  return [...listOthers(kind), ...INDICATORS, ...Object.values(CAMERA_FLAGS)].map(({ code }) => code);
}

/** A replayed answer is always flagged as one. */
export function withReason<Wanted extends WantedRisk & { errorCode?: number }>(wanted: Wanted): Wanted {
  if (wanted.errorCode !== AGE_ERROR_CODES.payloadReplayed) return wanted;
  return { ...wanted, flags: [...(wanted.flags ?? []), 'BEHAVIOR_REPLAY'] };
}

/** Refuses a code that is not in the table, or that does not go with this outcome or session. */
export function makeUpRisk(kind: RiskyKind, { flags = [], indicators }: WantedRisk, places: RiskPlaces): MadeUpRisk {
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
  for (const [place, code] of flags.entries()) requirePlace(`body.flags.${place}`, code, places);
  const ofLight = flags.filter((code) => OF_LIGHT.has(code));
  if (new Set(ofLight).size > 1) throw invalid('body.flags', `cannot have both of ${ofLight.join(' and ')}`);
  if (indicators) requireKnown(indicators);
  const raised = INDICATORS.filter(({ code }) => flags.includes(code));
  const isMissed = places.light === 'required' && flags.some((code) => OF_LIGHT.has(code));
  const missed = isMissed ? [FINDING_FLAGS.lightRequired] : [];
  const hasBrowser = indicators !== undefined || raised.length > 0;
  const missing = flags.indexOf(FINDING_FLAGS.browserDataMissing.code);
  if (missing >= 0 && hasBrowser) {
    throw invalid(`body.flags.${missing}`, 'cannot be raised together with indicators or flags that are browser data');
  }
  return {
    indicators: hasBrowser ? fillIndicators(indicators ?? {}, raised) : null,
    cameraSigns: CAMERA_SIGN_NAMES.filter((sign) => flags.includes(CAMERA_FLAGS[sign].code)),
    flags: [...listOthers(kind).filter(({ code }) => flags.includes(code)), ...missed],
  };
}

function requirePlace(path: string, code: string, places: RiskPlaces): void {
  const { handoff, light, lightEnforced, camera, document, documentFile } = places;
  if (OF_HANDOFF.has(code) && !handoff) {
    throw invalid(path, 'cannot be raised: the session stays on one device, its handoff is "refuse"');
  }
  if (OF_LIGHT.has(code) && light === 'none') {
    throw invalid(
      path,
      'cannot be raised: no living face is found on the way to this outcome; choose one in which a face is, in a session with a face step',
    );
  }
  if (OF_LIGHT.has(code) && light === 'not_asked') {
    throw invalid(
      path,
      'cannot be raised: the service asks for no light (LIGHT_CHALLENGE=off); create the session with light "optional" or "required"',
    );
  }
  if (code === FINDING_FLAGS.lightNotAsDrawn.code && lightEnforced) {
    throw invalid(
      path,
      'cannot be raised: with LIGHT_CHALLENGE=enforce such a face is a spoof; simulate the outcome spoof',
    );
  }
  if (OF_CAMERA.has(code) && !camera) {
    throw invalid(
      path,
      'cannot be raised: no face is shown to the camera on the way to this outcome, and the signs of a stream are seen then',
    );
  }
  if (!OF_DOCUMENT.has(code)) return;
  if (!document) {
    throw invalid(path, 'cannot be raised: this session reads no document on the way to this outcome');
  }
  if (code === DOCUMENT_FLAGS.file.code && !documentFile) {
    throw invalid(
      path,
      'cannot be raised: only age sessions with enableDocumentFile accept an image file of a document',
    );
  }
}

/** A name that is misspelt would be left out in silence, and with it what was to be tried. */
function requireKnown(wanted: WantedIndicators): void {
  const groups = Object.keys(Indicators.properties);
  for (const [group, given] of Object.entries(wanted)) {
    if (!groups.includes(group)) {
      throw invalid(`body.indicators.${group}`, `is not a group of indicators; there are: ${groups.join(', ')}`);
    }
    const names = INDICATORS.filter((one) => one.group === group).map(({ name }) => name);
    const unknown = Object.keys(given).find((name) => !names.includes(name));
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
    const isRaised = includes(SAID_BY_OUTCOME, name) || includes(BESIDE_OTHERS, name);
    return !isRaised && (kind === 'verification' || !includes(OF_VERIFICATION, name));
  });
  return [...findings.map(([, flag]) => flag), ...BEHAVIOR_FLAGS, ...Object.values(DOCUMENT_FLAGS)];
}

function fillIndicators(wanted: WantedIndicators, raised: readonly { group: string; name: string }[]): Indicators {
  const groups = Object.keys(Indicators.properties).map((group) => {
    const given: Record<string, boolean> = wanted[group as keyof Indicators] ?? {};
    const names = INDICATORS.filter((one) => one.group === group).map(({ name }) => name);
    const isRaised = (name: string) => raised.some((one) => one.group === group && one.name === name);
    return [group, Object.fromEntries(names.map((name) => [name, given[name] === true || isRaised(name)]))];
  });
  return Object.fromEntries(groups);
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes(value);
}

// Validates findings against the plan before they are sealed, because an invalid answer would end
// the session.

import type { AgeDeviceAnswer, VerificationDeviceAnswer } from '@limen/contract';
import {
  type AgeReport,
  CAMERA_SIGN_NAMES,
  CONTACT_FORMS,
  type ContactPlanStep,
  DOCUMENT_COUNTRY,
  DOCUMENT_SIGNS,
  DOCUMENT_TYPES,
  type DocumentPlanStep,
  type FacePlanStep,
  INDICATOR_GROUPS,
  LIGHT_FINDINGS,
  type LightCourse,
  type LightPlan,
  type LogEntry,
  listBegunSteps,
  listCarriedSteps,
  listPossibleFindings,
  MAX_YEARS,
  measureLog,
  namesOf,
  type PlanStep,
  stepsDue,
  THRESHOLD_RESULTS,
  VERIFICATION_TIME,
} from '@limen/plan';

/** A device's findings. The client adds the rest of the answer. */
export interface DeviceFindings {
  face?: AgeDeviceAnswer['face'] | VerificationDeviceAnswer['face'];
  document?: AgeDeviceAnswer['document'] | VerificationDeviceAnswer['document'];
  /** Contact details that the person entered, if the plan requests them. Each is optional. */
  contact?: VerificationDeviceAnswer['contact'];
  /** Null or omitted without browser data. */
  indicators?: AgeDeviceAnswer['indicators'];
  /** Anomalies of the camera. Empty or omitted if there are none. */
  camera?: AgeDeviceAnswer['camera'];
}

const COUNTRY = new RegExp(DOCUMENT_COUNTRY);
const TIME = new RegExp(VERIFICATION_TIME);
const AFTER_SPOOF = 'a spoof ends the check';

/**
 * Throws a `TypeError` that describes the problem without the value. `log` shows which steps have
 * started, and whether light was shown.
 */
export function checkFindings(
  steps: readonly PlanStep[],
  findings: DeviceFindings,
  log: readonly LogEntry[] = [],
): void {
  const fields = requireObject('the findings', findings);
  refuseUnknownFields('the findings', fields, ['face', 'document', 'contact', 'indicators', 'camera']);
  const faceStep = steps.find((step) => step.step === 'face');
  const documentAt = steps.findIndex((step) => step.step === 'identity_document');
  const documentStep = steps[documentAt] as DocumentPlanStep | undefined;
  if (faceStep) {
    checkFace(faceStep, fields['face']);
    checkLight(faceStep.light, fields['face'] as Record<string, unknown>, lightShown(steps, log));
  } else requireLeftOut('face', fields['face'], 'the plan has no face step');
  const begun = listBegunSteps(log);
  if (documentStep && !findings.face?.spoof && stepsDue(steps, findings.face, begun).includes(documentAt)) {
    checkDocument(documentStep, fields['document'], faceStep !== undefined, begun.includes(documentAt));
  } else requireLeftOut('document', fields['document'], explainMissingDocument(documentStep, findings.face));
  const contactStep = steps.find((step) => step.step === 'contact');
  if (contactStep && !findings.face?.spoof) checkContact(contactStep, fields['contact']);
  else requireLeftOut('contact', fields['contact'], contactStep ? AFTER_SPOOF : 'the plan has no contact step');
  checkIndicators(fields['indicators'] ?? null);
  checkCamera(fields['camera'] ?? []);
}

function checkFace({ report }: FacePlanStep, face: unknown): void {
  if (face === undefined) throw new TypeError('face is missing: the plan has a face step');
  const { light, ...fields } = requireObject('face', face);
  if (typeof fields['spoof'] !== 'boolean') throw new TypeError('face.spoof must be true or false');
  if (fields['spoof']) {
    requireExactly('face', { ...fields, light }, ['spoof'], 'of a spoof');
  } else if (report === 'none') {
    requireExactly('face', fields, ['spoof'], describeReport(report));
  } else if (report === 'threshold') {
    const { estimateBelow, ...asked } = fields;
    requireExactly('face', asked, ['spoof', 'thresholdResult'], describeReport(report));
    requireResult('face', fields);
    checkEstimateBelow(fields['thresholdResult'], estimateBelow);
  } else {
    requireExactly('face', fields, ['spoof', 'estimate', 'lowerBound'], describeReport(report));
    requireYears('face', fields, 'estimate');
    requireYears('face', fields, 'lowerBound');
    if (Number(fields['lowerBound']) > Number(fields['estimate'])) {
      throw new TypeError('face.lowerBound must not be above face.estimate');
    }
  }
}

/** Returns undefined for a carried face, whose light was shown on the previous device. */
function lightShown(steps: readonly PlanStep[], log: readonly LogEntry[]): LightCourse | undefined {
  const cameAlong = listCarriedSteps({ steps: [...steps], carried: [...steps.keys()] }, log);
  const isFaceCarried = cameAlong.some((position) => steps[position]?.step === 'face');
  return isFaceCarried ? undefined : measureLog(log).light;
}

function checkLight(plan: LightPlan | undefined, face: Record<string, unknown>, shown: LightCourse | undefined): void {
  const { spoof, light } = face;
  if (spoof) return;
  if (!plan) {
    requireLeftOut('face.light', light, 'the plan requests no light');
    return;
  }
  if (!includes(LIGHT_FINDINGS, light)) {
    throw new TypeError(`face.light must be one of ${LIGHT_FINDINGS.join(', ')}: the plan requests light`);
  }
  const possible = shown ? listPossibleFindings(plan, shown) : LIGHT_FINDINGS;
  if (!includes(possible, light))
    throw new TypeError(`face.light must be ${possible.join(' or ')}: ${describeShownLight(shown)}`);
}

function describeShownLight(shown: LightCourse | undefined): string {
  if (!shown?.colours) return 'the log shows no light';
  const count = `${shown.colours} ${shown.colours === 1 ? 'color' : 'colors'}`;
  return `the log shows ${count}${shown.isStopped ? ', stopped by the person' : ''}`;
}

/** Optional. If absent, the service assumes that only the lower bound is below. */
function checkEstimateBelow(thresholdResult: unknown, estimateBelow: unknown): void {
  if (estimateBelow === undefined) return;
  if (typeof estimateBelow !== 'boolean') throw new TypeError('face.estimateBelow must be true or false');
  if (thresholdResult !== 'AGE_BELOW_THRESHOLD') {
    throw new TypeError('face.estimateBelow must be omitted: the face is not below the threshold');
  }
}

function checkDocument(
  { report, when, fromFile }: DocumentPlanStep,
  document: unknown,
  hasFace: boolean,
  hasBegun: boolean,
): void {
  if (document === undefined) {
    const why = hasBegun ? 'the document step has started' : 'the face alone is not enough';
    throw new TypeError(`document is missing: ${when === 'always' ? 'the plan has a document step' : why}`);
  }
  const fields = requireObject('document', document);
  const asked = { age: ['age'], threshold: ['thresholdResult'], none: [] }[report];
  const wanted = [...asked, 'matchScore', 'type', 'country', 'verifiedAt', 'signs'];
  requireExactly('document', fields, wanted, describeReport(report));
  if (report === 'age') requireYears('document', fields, 'age', true);
  else if (report === 'threshold') requireResult('document', fields);
  const { matchScore, type, country, verifiedAt } = fields;
  if (matchScore !== null && !hasFace)
    throw new TypeError('document.matchScore must be null: the plan has no face step');
  if (matchScore !== null && !isWithin(matchScore, -1, 1)) {
    throw new TypeError('document.matchScore must be a number from -1 to 1, or null');
  }
  if (!includes(DOCUMENT_TYPES, type)) throw new TypeError(`document.type must be one of ${DOCUMENT_TYPES.join(', ')}`);
  if (country !== null && !isLike(COUNTRY, country)) {
    throw new TypeError('document.country must be the three capital letters of ISO 3166-1, or null');
  }
  if (!isLike(TIME, verifiedAt) || Number.isNaN(Date.parse(String(verifiedAt)))) {
    throw new TypeError('document.verifiedAt must be a time in UTC to the second, such as 2026-03-01T12:30:00Z');
  }
  checkSigns(fields['signs'], fromFile);
}

function checkSigns(signs: unknown, fromFile: boolean): void {
  const isSet = Array.isArray(signs) && new Set(signs).size === signs.length;
  if (!isSet || !signs.every((sign) => includes(DOCUMENT_SIGNS, sign))) {
    throw new TypeError(`document.signs must list the signs seen, each one of ${DOCUMENT_SIGNS.join(', ')}`);
  }
  if (signs.includes('file') && !fromFile) {
    throw new TypeError('document.signs must not contain file: the plan requires the camera');
  }
}

function explainMissingDocument(step: DocumentPlanStep | undefined, face: DeviceFindings['face']): string {
  if (!step) return 'the plan has no document step';
  return face?.spoof ? AFTER_SPOOF : 'the face alone is enough';
}

/** Absent or empty if the person skipped it. */
function checkContact({ fields }: ContactPlanStep, contact: unknown): void {
  if (contact === undefined) return;
  const contactFields = requireObject('contact', contact);
  refuseUnknownFields('contact', contactFields, fields, `; the plan requests ${fields.join(', ')}`);
  for (const field of fields) {
    if (contactFields[field] !== undefined && !isLike(new RegExp(CONTACT_FORMS[field], 'u'), contactFields[field])) {
      throw new TypeError(`contact.${field} must be valid, or omitted`);
    }
  }
}

function checkIndicators(indicators: unknown): void {
  if (indicators === null) return;
  const groups = requireObject('indicators', indicators);
  requireExactly('indicators', groups, INDICATOR_GROUPS, 'with browser data,');
  for (const group of INDICATOR_GROUPS) {
    const [known, seen] = [namesOf(group), groups[group]];
    if (!Array.isArray(seen) || seen.length > known.length || !seen.every((name) => includes(known, name))) {
      throw new TypeError(`indicators.${group} must list the indicators seen, each one of ${known.join(', ')}`);
    }
  }
}

function checkCamera(camera: unknown): void {
  const isSet = Array.isArray(camera) && new Set(camera).size === camera.length;
  if (!isSet || !camera.every((sign) => includes(CAMERA_SIGN_NAMES, sign))) {
    throw new TypeError(`camera must list the signs seen, each one of ${CAMERA_SIGN_NAMES.join(', ')}`);
  }
}

function requireObject(name: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TypeError(`${name} must be an object`);
}

function requireLeftOut(name: string, value: unknown, why: string | undefined): void {
  if (value !== undefined) throw new TypeError(`${name} must be omitted: ${why}`);
}

function requireExactly(name: string, fields: Record<string, unknown>, wanted: readonly string[], when: string): void {
  const missing = wanted.find((field) => fields[field] === undefined);
  if (missing !== undefined)
    throw new TypeError(`${name}.${missing} is missing; ${when} ${describeFields(name, wanted)}`);
  refuseUnknownFields(name, fields, wanted, `; ${when} ${describeFields(name, wanted)}`);
}

function describeFields(name: string, wanted: readonly string[]): string {
  return `${name} has exactly the fields ${wanted.join(', ')}`;
}

function refuseUnknownFields(name: string, fields: Record<string, unknown>, known: readonly string[], more = ''): void {
  // Undefined fields do not appear in the JSON.
  const unknownField = Object.keys(fields).find((field) => !known.includes(field) && fields[field] !== undefined);
  if (unknownField !== undefined)
    throw new TypeError(`${name} must not have the field ${unknownField.slice(0, 40)}${more}`);
}

function requireResult(name: string, { thresholdResult }: Record<string, unknown>): void {
  if (!includes(THRESHOLD_RESULTS, thresholdResult)) {
    throw new TypeError(`${name}.thresholdResult must be one of ${THRESHOLD_RESULTS.join(', ')}`);
  }
}

function requireYears(name: string, fields: Record<string, unknown>, field: string, whole = false): void {
  if (!isWithin(fields[field], 0, MAX_YEARS) || (whole && !Number.isInteger(fields[field]))) {
    throw new TypeError(`${name}.${field} must be a ${whole ? 'whole ' : ''}number from 0 to ${MAX_YEARS}`);
  }
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

function isLike(form: RegExp, value: unknown): boolean {
  return typeof value === 'string' && form.test(value);
}

function includes(list: readonly unknown[], value: unknown): boolean {
  return list.includes(value);
}

function describeReport(report: AgeReport): string {
  return `with report ${report} in the plan,`;
}

// What a session's answer means: the age outcome, the state of the flow and what the host is told.
import type { AgeDeviceAnswer, AgeSessionResult } from '@limen/contract';
import {
  AGE_ERROR_CODES,
  compareAge,
  FACE_MATCH_THRESHOLD,
  isBelow,
  isFaceNotEnough,
  standingOfFace,
  type ThresholdResult,
} from '@limen/plan';
import type { AgeSettings, EarnedAge, ProvenAge } from '../lifecycle/kinds.ts';
import { SESSION_ERRORS } from '../lifecycle/reasons.ts';
import type { FlowStatus } from '../lifecycle/rules.ts';
import type { WalletFinding } from '../proofs/wallets/proofs.ts';
import type { Finding } from '../risk/table.ts';

/** A finding of the device, as far as the host asked for it: ages, or only how they compare with the threshold. */
export type FaceAnswer = NonNullable<AgeDeviceAnswer['face']>;
type LiveFace = Extract<FaceAnswer, { spoof: false }>;
export type DocumentAnswer = NonNullable<AgeDeviceAnswer['document']>;

/** What was shown instead of the steps, once it was found good for what the session asks. */
export type ProofAnswer = { ageKey: ProvenAge } | { wallet: WalletFinding };

export interface AgeAnswer {
  /** Decides alone. */
  proof?: ProofAnswer;
  face?: FaceAnswer;
  document?: DocumentAnswer;
  /** A document had become due earlier in the capture, although the face as it was found in the end would do. */
  steppedUp?: boolean;
  end: 'finished' | 'cancelled' | 'expired' | 'camera_failure' | 'desktop';
  /** Codes that the device reported or that its answer was refused with. */
  errors?: readonly number[];
}

type AgeResult = NonNullable<AgeSessionResult['result']>;

export interface AgeDecision {
  sessionStatus: 'AGE_UNKNOWN' | ThresholdResult;
  flowStatus: FlowStatus;
  /** Empty when nothing was found out. */
  result: AgeResult;
  errors: { code: number; message: string }[];
  /** What the risk is told of the person. */
  findings: Finding[];
}

const CODES = AGE_ERROR_CODES;

const UNFINISHED = {
  cancelled: { flowStatus: 'CANCELLED', codes: [] },
  camera_failure: { flowStatus: 'CANCELLED', codes: [CODES.cameraFailure] },
  desktop: { flowStatus: 'CANCELLED', codes: [CODES.desktopNotEnabled] },
  expired: { flowStatus: 'EXPIRED', codes: [CODES.sessionExpired] },
} as const;

export function decideAge(settings: AgeSettings, answer: AgeAnswer): AgeDecision {
  // What speaks against the person counts in every case, asked for or not.
  const reported = [...(answer.face?.spoof ? [CODES.spoof] : []), ...(answer.errors ?? [])];
  if (answer.end !== 'finished') {
    const { flowStatus, codes } = UNFINISHED[answer.end];
    return { ...decideNothing([...codes, ...reported]), flowStatus };
  }
  if (reported.length > 0) return decideNothing(reported);
  if (answer.proof) return decideProof(settings, answer.proof);

  // A step that nobody asked for decides nothing: a device cannot choose the easier check.
  const faceWanted = settings.requirements.includes('face');
  const face = faceWanted && isUsableFace(settings, answer.face) ? answer.face : undefined;
  if (faceWanted && !face) return decideNothing([CODES.faceScanError]);
  const steppedUp = settings.stepUpEnabled && answer.steppedUp === true;
  const documentWanted = steppedUp || isDocumentDue(settings, face);
  const document = documentWanted && isUsableDocument(settings, answer.document) ? answer.document : undefined;
  if (documentWanted && !document) return decideNothing([CODES.documentScanError]);

  const comparison = face && document ? compareFaces(settings, document) : {};
  const shown = document ? { document: describeDocument(document) } : {};
  if (comparison.faceMatch === false) {
    return { ...decideNothing([CODES.faceMismatch]), result: { ...comparison, ...shown } };
  }

  const sessionStatus = document
    ? standingOfDocument(document, settings.documentAgeThreshold)
    : face && standingOfFace(face, settings.ageThreshold);
  if (!sessionStatus) return decideNothing([]);
  const faceAge = face && reportFace(settings, face);
  const documentAge = document && reportDocument(settings, document);
  // The estimated age; the document's only where no face was to be estimated.
  const age = face ? faceAge?.exact : documentAge?.exact;
  return {
    sessionStatus,
    flowStatus: 'COMPLETED',
    result: {
      ...(age === undefined ? {} : { age }),
      ...comparison,
      ...(documentAge ? { documentAge } : {}),
      ...shown,
      ...(faceAge ? { facialAgeEstimation: faceAge } : {}),
      ...(settings.proofs && { source: document ? 'document' : 'face' }),
    },
    errors: [],
    findings: sessionStatus === 'AGE_BELOW_THRESHOLD' ? [findBelow(settings, document ?? face)] : [],
  };
}

/** A proof can only say "at or above". One that nobody asked for decides nothing, as a step does not. */
function decideProof({ proofs }: AgeSettings, proof: ProofAnswer): AgeDecision {
  const kind = 'ageKey' in proof ? 'age_key' : 'wallet';
  if (!proofs?.accepted.includes(kind)) return decideNothing([]);
  const thresholdResult = 'AGE_ABOVE_THRESHOLD' as const;
  return {
    sessionStatus: thresholdResult,
    flowStatus: 'COMPLETED',
    result: { ...reportProof(thresholdResult, proof), source: kind },
    errors: [],
    findings: [kind === 'age_key' ? 'ageKeyUsed' : 'walletUsed'],
  };
}

function reportProof(thresholdResult: ThresholdResult, proof: ProofAnswer): AgeResult {
  if ('ageKey' in proof) {
    const { method, month } = proof.ageKey;
    return { ageKey: { thresholdResult, method, verifiedAt: month } };
  }
  const { profile, issuerCountry } = proof.wallet;
  return { walletProof: { thresholdResult, profile, ...(issuerCountry !== null && { issuerCountry }) } };
}

/**
 * Returns what an age key may keep of a session that found the person old enough: its own threshold and no more. Returns undefined
 * after an age key, and for a face of which light was asked and not seen.
 */
export function earnedBy(
  { requirements, ageThreshold, documentAgeThreshold }: AgeSettings,
  { face }: AgeAnswer,
  { result }: Pick<AgeDecision, 'result'>,
): Omit<EarnedAge, 'month'> | undefined {
  const light = face?.spoof === false ? face.light : undefined;
  if (light !== undefined && light !== 'lit') return undefined;
  const how = { requirements, light: light ?? ('not_asked' as const) };
  switch (result.source) {
    case 'face':
      return { ageOver: ageThreshold, method: 'face', ...how };
    case 'document':
      return { ageOver: documentAgeThreshold, method: isOfLiveFace(result) ? 'document_and_face' : 'document', ...how };
    case 'wallet':
      return { ageOver: documentAgeThreshold, method: 'wallet', ...how };
    default:
      return undefined;
  }
}

/** By the service's own threshold: a session may have asked for less. */
function isOfLiveFace({ faceMatch = false, confidenceScore = 0 }: AgeResult): boolean {
  return faceMatch && confidenceScore >= FACE_MATCH_THRESHOLD;
}

/** Whether the session found what it was to find. */
export function isOldEnough({ sessionStatus }: Pick<AgeDecision, 'sessionStatus'>): boolean {
  return sessionStatus === 'AGE_AT_THRESHOLD' || sessionStatus === 'AGE_ABOVE_THRESHOLD';
}

/** How far below what decided is: the age itself, or of a face its lower bound alone. */
function findBelow({ ageThreshold }: AgeSettings, decided: DocumentAnswer | LiveFace | undefined): Finding {
  if (!decided || !('spoof' in decided)) return 'ageBelow';
  const estimateBelow =
    'estimate' in decided ? isBelow(decided.estimate, ageThreshold) : decided.estimateBelow === true;
  return estimateBelow ? 'ageBelow' : 'ageBelowBound';
}

/** Whether there may be a document step at all. */
export function mayAskForDocument({ requirements, stepUpEnabled }: AgeSettings): boolean {
  return stepUpEnabled || requirements.includes('identity_document');
}

/** Whether the document step has to run, now that the face was or was not estimated. */
export function isDocumentDue(settings: AgeSettings, face: FaceAnswer | undefined): boolean {
  const { requirements, stepUpEnabled, ageThreshold, light } = settings;
  if (requirements.includes('identity_document')) return true;
  return stepUpEnabled && isFaceNotEnough(face, { ageThreshold, lightRequired: light === 'required' });
}

function decideNothing(codes: readonly number[]): AgeDecision {
  // That a face is false or another's is a finding; anything else that failed found nothing.
  const found = codes.includes(CODES.spoof) || codes.includes(CODES.faceMismatch);
  return {
    sessionStatus: 'AGE_UNKNOWN',
    flowStatus: found ? 'COMPLETED' : 'CANCELLED',
    result: {},
    errors: describeErrors(codes),
    findings: [
      ...(codes.includes(CODES.spoof) ? (['faceSpoof'] as const) : []),
      ...(codes.includes(CODES.faceMismatch) ? (['faceMismatch'] as const) : []),
    ],
  };
}

function describeErrors(codes: readonly number[]): AgeDecision['errors'] {
  return [...new Set(codes)].map((code) => ({ code, message: SESSION_ERRORS.get(code) ?? 'Unknown error' }));
}

/** A bound above its own estimate was not made by the model, and a host that asked for the age needs it. */
function isUsableFace(settings: AgeSettings, face: FaceAnswer | undefined): face is LiveFace {
  if (face === undefined || face.spoof) return false;
  if ('thresholdResult' in face) return settings.facialAgeEstimationReturnFormat === 'threshold';
  if (!Number.isFinite(face.estimate) || !Number.isFinite(face.lowerBound)) return false;
  return face.lowerBound <= face.estimate;
}

function isUsableDocument(settings: AgeSettings, document: DocumentAnswer | undefined): document is DocumentAnswer {
  if (document === undefined) return false;
  if ('thresholdResult' in document) return settings.documentAgeReturnFormat === 'threshold';
  return Number.isFinite(document.age) && document.age >= 0;
}

function standingOfDocument(document: DocumentAnswer, threshold: number): ThresholdResult {
  return 'thresholdResult' in document ? document.thresholdResult : compareAge(document.age, threshold);
}

function compareFaces(settings: AgeSettings, { matchScore }: DocumentAnswer): AgeResult {
  if (matchScore === null || !Number.isFinite(matchScore)) return { faceMatch: false };
  return { confidenceScore: matchScore, faceMatch: matchScore >= settings.faceMatchThreshold };
}

function describeDocument({ type, country, verifiedAt }: DocumentAnswer): NonNullable<AgeResult['document']> {
  return { type, ...(country !== null && { country }), verifiedAt };
}

function reportFace(settings: AgeSettings, face: LiveFace): NonNullable<AgeResult['facialAgeEstimation']> {
  const { facialAgeEstimationReturnFormat: format, ageThreshold } = settings;
  const thresholdResult = standingOfFace(face, ageThreshold);
  if (format === 'threshold' || !('estimate' in face)) return { thresholdResult };
  return { thresholdResult, exact: face.estimate, lowerBound: face.lowerBound };
}

function reportDocument(settings: AgeSettings, document: DocumentAnswer): NonNullable<AgeResult['documentAge']> {
  const { documentAgeReturnFormat: format, documentAgeThreshold } = settings;
  const thresholdResult = standingOfDocument(document, documentAgeThreshold);
  if (format === 'threshold' || !('age' in document)) return { thresholdResult };
  return { thresholdResult, exact: document.age };
}

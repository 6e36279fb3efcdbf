// Decides an age session: from the answer to the age outcome, the state of the flow and the result.
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
import { describeErrors, describeFindings } from '../lifecycle/reasons.ts';
import type { FlowStatus } from '../lifecycle/rules.ts';
import type { WalletFinding } from '../proofs/wallets/proofs.ts';
import type { Finding } from '../risk/table.ts';

export type FaceAnswer = NonNullable<AgeDeviceAnswer['face']>;
type LiveFace = Extract<FaceAnswer, { spoof: false }>;
export type DocumentAnswer = NonNullable<AgeDeviceAnswer['document']>;

/** Proof in place of the steps, already judged as good for this session. */
export type ProofAnswer = { ageKey: ProvenAge } | { wallet: WalletFinding };

export interface AgeAnswer {
  proof?: ProofAnswer;
  face?: FaceAnswer;
  document?: DocumentAnswer;
  /** A document became due during the capture, although the final face is sufficient. */
  steppedUp?: boolean;
  end: 'finished' | 'cancelled' | 'expired' | 'camera_failure' | 'desktop';
  errors?: readonly number[];
}

type AgeResult = NonNullable<AgeSessionResult['result']>;

export interface AgeDecision {
  sessionStatus: 'AGE_UNKNOWN' | ThresholdResult;
  flowStatus: FlowStatus;
  result: AgeResult;
  errors: { code: number; message: string }[];
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
  // Findings against the person always count.
  const reported = [...(answer.face?.spoof ? [CODES.spoof] : []), ...(answer.errors ?? [])];
  if (answer.end !== 'finished') {
    const { flowStatus, codes } = UNFINISHED[answer.end];
    return { ...decideNothing([...codes, ...reported]), flowStatus };
  }
  if (reported.length > 0) return decideNothing(reported);
  if (answer.proof) return decideProof(settings, answer.proof);

  // Only required steps decide, so that a device cannot choose an easier check.
  const faceWanted = settings.requirements.includes('face');
  const face = faceWanted && isUsableFace(settings, answer.face) ? answer.face : undefined;
  if (faceWanted && !face) return decideNothing([CODES.faceScanError]);
  const steppedUp = settings.stepUpEnabled && answer.steppedUp === true;
  const documentWanted = steppedUp || isDocumentDue(settings, face);
  const document = documentWanted && isUsableDocument(settings, answer.document) ? answer.document : undefined;
  if (documentWanted && !document) return decideNothing([CODES.documentScanError]);

  const comparison = face && document ? compareFaces(settings, document) : {};
  const shown = document && { document: describeDocument(document) };
  if (comparison.faceMatch === false) {
    return { ...decideNothing([CODES.faceMismatch]), result: { ...comparison, ...shown } };
  }

  const sessionStatus = document
    ? standingOfDocument(document, settings.documentAgeThreshold)
    : face && standingOfFace(face, settings.ageThreshold);
  if (!sessionStatus) return decideNothing([]);
  const faceAge = face && reportFace(settings, face);
  const documentAge = document && reportDocument(settings, document);
  // The document's age is the result only if no face was required.
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

/** A proof can only say "at or above". */
function decideProof({ proofs }: AgeSettings, proof: ProofAnswer): AgeDecision {
  const source = 'ageKey' in proof ? 'age_key' : 'wallet';
  if (!proofs?.accepted.includes(source)) return decideNothing([]);
  const thresholdResult = 'AGE_ABOVE_THRESHOLD' as const;
  const decided = { sessionStatus: thresholdResult, flowStatus: 'COMPLETED' as const, errors: [] };
  if ('ageKey' in proof) {
    const { method, month } = proof.ageKey;
    const ageKey = { thresholdResult, method, verifiedAt: month };
    return { ...decided, result: { ageKey, source }, findings: ['ageKeyUsed'] };
  }
  const { profile, issuerCountry } = proof.wallet;
  const walletProof = { thresholdResult, profile, ...(issuerCountry !== null && { issuerCountry }) };
  return { ...decided, result: { walletProof, source }, findings: ['walletUsed'] };
}

/**
 * Returns what an age key keeps of a successful session: the threshold, never the age. Returns undefined after an age key, and for
 * a face that was not lit as asked.
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

/** Uses the service's own threshold, because a session may ask for less. */
function isOfLiveFace({ faceMatch = false, confidenceScore = 0 }: AgeResult): boolean {
  return faceMatch && confidenceScore >= FACE_MATCH_THRESHOLD;
}

export function isOldEnough({ sessionStatus }: Pick<AgeDecision, 'sessionStatus'>): boolean {
  return sessionStatus === 'AGE_AT_THRESHOLD' || sessionStatus === 'AGE_ABOVE_THRESHOLD';
}

function findBelow({ ageThreshold }: AgeSettings, decided: DocumentAnswer | LiveFace | undefined): Finding {
  if (!decided || !('spoof' in decided)) return 'ageBelow';
  const estimateBelow =
    'estimate' in decided ? isBelow(decided.estimate, ageThreshold) : decided.estimateBelow === true;
  return estimateBelow ? 'ageBelow' : 'ageBelowBound';
}

export function mayAskForDocument({ requirements, stepUpEnabled }: AgeSettings): boolean {
  return stepUpEnabled || requirements.includes('identity_document');
}

export function isDocumentDue(settings: AgeSettings, face: FaceAnswer | undefined): boolean {
  const { requirements, stepUpEnabled, ageThreshold, light } = settings;
  if (requirements.includes('identity_document')) return true;
  return stepUpEnabled && isFaceNotEnough(face, { ageThreshold, lightRequired: light === 'required' });
}

function decideNothing(codes: readonly number[]): AgeDecision {
  const findings = describeFindings(codes);
  // Other failures have no finding, so they do not complete the session.
  const flowStatus = findings.length > 0 ? 'COMPLETED' : 'CANCELLED';
  return { sessionStatus: 'AGE_UNKNOWN', flowStatus, result: {}, errors: describeErrors(codes), findings };
}

/** A bound above its own estimate does not come from the model. */
function isUsableFace(settings: AgeSettings, face: FaceAnswer | undefined): face is LiveFace {
  if (face === undefined || face.spoof) return false;
  if ('thresholdResult' in face) return settings.facialAgeEstimationReturnFormat === 'threshold';
  return Number.isFinite(face.estimate) && Number.isFinite(face.lowerBound) && face.lowerBound <= face.estimate;
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

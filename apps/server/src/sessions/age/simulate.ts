// The test mode: makes up the answer of a device, so that a session ends as an integrator wants it.
import type { SimulateAgeSessionRequest } from '@limen/contract';
import { AGE_ERROR_CODES, isStrongEnough, type LightFinding } from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';
import { chooseLight, type LightChallenge } from '../device/light.ts';
import { toSecond } from '../device/read-answer.ts';
import type { AgeContents, AgeSettings } from '../lifecycle/kinds.ts';
import { listPossibleReasons } from '../lifecycle/reasons.ts';
import { formatMonth } from '../proofs/age-keys/rules.ts';
import { makeUpRisk, withReason } from '../risk/simulate.ts';
import { FINDING_FLAGS } from '../risk/table.ts';
import type { AgeEnding } from './end-session.ts';
import {
  type AgeAnswer,
  type DocumentAnswer,
  decideAge,
  type FaceAnswer,
  isDocumentDue,
  mayAskForDocument,
} from './rules.ts';

/** Years between a simulated age and its threshold, unless the outcome is `at`. */
const YEARS_APART = 5;
/** A good match, unless the session asks for a better one. */
const MATCH_SCORE = 0.9;
const DOCUMENT = { type: 'passport', country: 'NLD', signs: [] } satisfies Partial<DocumentAnswer>;
const WALLET = { profile: 'eu_age', issuerCountry: 'NL' } as const;

const DECIDED = { above: 'AGE_ABOVE_THRESHOLD', at: 'AGE_AT_THRESHOLD', below: 'AGE_BELOW_THRESHOLD' } as const;
type DecidedOutcome = keyof typeof DECIDED;

const FINDS_AGES: readonly string[] = ['above', 'at', 'below', 'face_mismatch'];
const WITHOUT_CAMERA: readonly string[] = ['camera_failure', 'desktop'];

type SimulatedSession = Pick<AgeContents, 'settings' | 'enableDesktop' | 'enableDocumentFile' | 'handoff'>;

export function simulatedEnding(
  session: SimulatedSession,
  request: SimulateAgeSessionRequest,
  now: number,
  challenge: LightChallenge = 'flag',
): Required<Omit<AgeEnding, 'check'>> {
  const answer = simulateAnswer(session.settings, request, now);
  requirePossible(session, request);
  const { indicators, cameraSigns, flags } = makeUpRisk('age', withReason(request), {
    handoff: session.handoff !== 'refuse',
    light: answer.face?.spoof === false ? (chooseLight(session.settings.light, challenge) ?? 'not_asked') : 'none',
    lightEnforced: challenge === 'enforce',
    camera: session.settings.requirements.includes('face') && !WITHOUT_CAMERA.includes(request.outcome),
    document: answer.document !== undefined,
    documentFile: session.enableDocumentFile,
  });
  // The answer raises the flags of the light itself.
  const madeUpFlags = flags.filter(({ code }) => !LIGHT_FLAGS.has(code));
  return { answer, indicators, cameraSigns, madeUpFlags, isProvenElsewhere: false };
}

const LIGHT_FLAGS: ReadonlyMap<string, LightFinding | undefined> = new Map([
  [FINDING_FLAGS.lightNotAsDrawn.code, 'not_lit'],
  [FINDING_FLAGS.lightInconclusive.code, 'inconclusive'],
  [FINDING_FLAGS.lightRequired.code, undefined],
]);

function simulateLight({ flags = [] }: SimulateAgeSessionRequest): LightFinding {
  return flags.map((code) => LIGHT_FLAGS.get(code)).find((finding) => finding !== undefined) ?? 'lit';
}

function requirePossible({ settings, enableDesktop }: SimulatedSession, request: SimulateAgeSessionRequest): void {
  const { outcome, errorCode } = request;
  if (outcome === 'desktop' && enableDesktop) {
    throw invalid('body.outcome', 'cannot be desktop: the session accepts computers; create it without enableDesktop');
  }
  const face = settings.requirements.includes('face');
  const possible = listPossibleReasons({ face, document: mayAskForDocument(settings), enableDesktop });
  if (errorCode === undefined || possible.includes(errorCode)) return;
  throw invalid('body.errorCode', `must be a code that this session can end with: ${possible.join(', ')}`);
}

/** Refuses an outcome that the session's settings or the given ages cannot lead to. A document was read at `now`. */
export function simulateAnswer(settings: AgeSettings, request: SimulateAgeSessionRequest, now: number): AgeAnswer {
  const { outcome, errorCode, documentAge } = request;
  if (request.proof !== undefined || request.ageKeyMethod !== undefined) return simulateProof(settings, request, now);
  requireFitting(settings, request);
  switch (outcome) {
    case 'cancelled':
      return { end: outcome, ...(errorCode !== undefined && { errors: [errorCode] }) };
    case 'camera_failure':
    case 'desktop':
    case 'expired':
      return { end: outcome };
    case 'document_failure':
      if (!mayAskForDocument(settings)) throw impossible(outcome);
      // The page cancels by itself after the last try.
      return { end: 'cancelled', errors: [AGE_ERROR_CODES.documentScanError] };
    case 'spoof':
      return requireError(settings, simulateCapture(settings, request, 'above', now), outcome, AGE_ERROR_CODES.spoof);
    case 'face_mismatch':
      return requireError(
        settings,
        simulateCapture(settings, request, 'below', now),
        outcome,
        AGE_ERROR_CODES.faceMismatch,
      );
    default: {
      const answer = simulateCapture(settings, request, outcome, now);
      if (documentAge !== undefined && !answer.document) {
        throw invalid(
          'body.documentAge',
          'would be ignored: the face settles it; give a lower age, or, where light is required, a flag of the light',
        );
      }
      const { sessionStatus } = decideAge(settings, answer);
      if (sessionStatus === DECIDED[outcome]) return answer;
      const led = Object.entries(DECIDED).find(([, status]) => status === sessionStatus)?.[0] ?? 'no age at all';
      throw invalid(
        'body.outcome',
        `does not follow from these ages, which lead to ${led}; leave them out, or make them agree`,
      );
    }
  }
}

function simulateProof(settings: AgeSettings, request: SimulateAgeSessionRequest, now: number): AgeAnswer {
  const { outcome, proof, ageKeyMethod, age, documentAge, errorCode } = request;
  const { ageThreshold, documentAgeThreshold, proofs } = settings;
  if (proof === undefined || !proofs?.accepted.includes(proof)) {
    throw invalid('body.proof', `must be one that the session accepts: ${proofs?.accepted.join(', ') || 'none'}`);
  }
  if (outcome !== 'above') throw invalid('body.outcome', 'must be above: a proof can only say that the age is reached');
  const field = Object.entries({ age, documentAge, errorCode }).find(([, value]) => value !== undefined)?.[0];
  if (field) throw invalid(`body.${field}`, 'does not apply to a proof, which contains no age');
  if (proof === 'wallet') {
    if (ageKeyMethod) throw invalid('body.ageKeyMethod', 'needs the proof age_key');
    return { proof: { wallet: WALLET }, end: 'finished' };
  }
  const { ageKeyStrength: strength } = proofs;
  const method = ageKeyMethod ?? (isStrongEnough('document', strength) ? 'document' : strength);
  if (!isStrongEnough(method, strength)) {
    throw invalid('body.ageKeyMethod', 'is weaker than what the session’s ageKeyStrength asks for');
  }
  const ageOver = method === 'face' ? ageThreshold : documentAgeThreshold;
  return { proof: { ageKey: { ageOver, method, month: formatMonth(now) } }, end: 'finished' };
}

/** Refuses fields that would otherwise be ignored, and outcomes that need a camera in a session without one. */
function requireFitting(settings: AgeSettings, { outcome, age, documentAge, errorCode }: SimulateAgeSessionRequest) {
  const { requirements, proofs } = settings;
  if (age !== undefined && !requirements.includes('face')) {
    throw invalid('body.age', 'needs a face step, and the session has none');
  }
  if (documentAge !== undefined && !mayAskForDocument(settings)) {
    throw invalid('body.documentAge', 'needs a document step or step-up, and the session has neither');
  }
  const field = age !== undefined ? 'age' : documentAge !== undefined ? 'documentAge' : undefined;
  if (field && !FINDS_AGES.includes(outcome)) {
    throw invalid(`body.${field}`, `does not apply to the outcome ${outcome}, only to ${FINDS_AGES.join(', ')}`);
  }
  if (requirements.length === 0 && outcome in DECIDED) {
    const why = 'the session has no camera step, and';
    const accepted = proofs?.accepted.join(', ') ?? 'none';
    throw outcome === 'above'
      ? invalid('body.proof', `is needed for above: ${why} accepts the proofs ${accepted}`)
      : invalid('body.outcome', `cannot be ${outcome}: ${why} a proof (${accepted}) can only say above`);
  }
  if (errorCode !== undefined && outcome !== 'cancelled') {
    throw invalid('body.errorCode', 'is the reason a device gave up, so it is only for the outcome cancelled');
  }
}

function requireError(settings: AgeSettings, answer: AgeAnswer, outcome: string, code: number): AgeAnswer {
  const { errors } = decideAge(settings, answer);
  if (errors.some((error) => error.code === code)) return answer;
  throw impossible(outcome);
}

function impossible(outcome: string): Error {
  return invalid(
    'body.outcome',
    `cannot be ${outcome}: the session has no step in which that could happen; create it with other requirements`,
  );
}

function simulateCapture(
  settings: AgeSettings,
  request: SimulateAgeSessionRequest,
  wanted: DecidedOutcome,
  now: number,
): AgeAnswer {
  const { requirements, ageThreshold, documentAgeThreshold, faceMatchThreshold } = settings;
  const { age, documentAge } = request;
  const spoof = request.outcome === 'spoof';
  const estimate = age ?? ageFor(wanted, ageThreshold);
  const found: FaceAnswer = spoof
    ? { spoof }
    : { spoof, estimate, lowerBound: simulateBound(settings, estimate, wanted), light: simulateLight(request) };
  const face = requirements.includes('face') ? found : undefined;
  // A spoof ends the flow at the face.
  const documentDue = !spoof && isDocumentDue(settings, face);
  // No score is below a threshold of 0, but a document without a face does not match either.
  const tooLow = faceMatchThreshold > 0 ? faceMatchThreshold / 2 : null;
  const matchScore = request.outcome === 'face_mismatch' ? tooLow : Math.max(MATCH_SCORE, faceMatchThreshold);
  const document: DocumentAnswer = {
    ...DOCUMENT,
    age: documentAge ?? ageFor(wanted, documentAgeThreshold),
    matchScore: face ? matchScore : null,
    verifiedAt: toSecond(now),
  };
  return { ...(face && { face }), ...(documentDue && { document }), end: 'finished' };
}

/** Lowers the bound below the threshold if `below` depends on the face. */
function simulateBound({ requirements, ageThreshold }: AgeSettings, estimate: number, wanted: DecidedOutcome): number {
  const asksForBelow = wanted === 'below' && !requirements.includes('identity_document');
  return asksForBelow ? Math.min(estimate, ageThreshold - 1) : estimate;
}

function ageFor(wanted: DecidedOutcome, threshold: number): number {
  if (wanted === 'at') return threshold;
  return wanted === 'above' ? threshold + YEARS_APART : Math.max(0, threshold - YEARS_APART);
}

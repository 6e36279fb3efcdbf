// Decides a verification session: from the answer and the evidence to the status that the host gets.
import type { VerificationDeviceAnswer } from '@limen/contract';
import { AGE_ERROR_CODES, FACE_MATCH_THRESHOLD, type Operation, VERIFICATION_ERROR_CODES } from '@limen/plan';
import type { PersonId, Puid } from '../../platform/base/ids.ts';
import { describeErrors, describeFindings } from '../lifecycle/reasons.ts';
import type { FlowStatus } from '../lifecycle/rules.ts';
import type { Finding } from '../risk/table.ts';

const CODES = { ...AGE_ERROR_CODES, ...VERIFICATION_ERROR_CODES };

export interface SessionPerson {
  personId: PersonId;
  puid: Puid;
  guid: string;
}

type AnswerFacts = Pick<VerificationDeviceAnswer, 'face' | 'document' | 'contact'>;
export type VerificationAnswer = Pick<AnswerFacts, 'face'> & {
  [Part in 'document' | 'contact']?: AnswerFacts[Part] | undefined;
};

export type VerificationEnd = { answer: VerificationAnswer } | { end: 'cancelled'; code?: number } | { end: 'expired' };

export interface ProvenFacts {
  type: Operation;
  wantsDocument: boolean;
  wantsPasskey: boolean;
  person: SessionPerson | undefined;
  passkey: { personId: PersonId } | undefined;
}

export interface VerificationDecision {
  status: 'SUCCESS' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
  flowStatus: FlowStatus;
  person: SessionPerson | undefined;
  errors: { code: number; message: string }[];
  findings: Finding[];
}

const FAILURES: ReadonlySet<number> = new Set(Object.values(VERIFICATION_ERROR_CODES));

/** Returns whether a device's code for giving up is a failure, and not the person's wish. */
export function isFailure(code: number): boolean {
  return FAILURES.has(code);
}

export function decideVerification(shown: ProvenFacts, end: VerificationEnd): VerificationDecision {
  if ('answer' in end) {
    const code = findFault(shown, end.answer);
    if (code !== undefined || !shown.person) return fail(code ?? noPerson(shown.type));
    return { status: 'SUCCESS', flowStatus: 'COMPLETED', person: shown.person, errors: [], findings: [] };
  }
  if (end.end === 'expired') return { ...unfinished('EXPIRED'), errors: describeErrors([CODES.sessionExpired]) };
  const { code } = end;
  if (code !== undefined && isFailure(code)) return fail(code);
  return { ...unfinished('CANCELLED'), errors: describeErrors(code === undefined ? [] : [code]) };
}

export function refuseEnrollment(decision: VerificationDecision): VerificationDecision {
  return decision.status === 'SUCCESS' ? fail(CODES.enrollmentFailed) : decision;
}

/** Returns the most important finding against the person. */
function findFault(shown: ProvenFacts, { face, document }: VerificationAnswer): number | undefined {
  if (face.spoof) return CODES.spoof;
  if (shown.wantsDocument && !isSameFace(document)) return CODES.faceMismatch;
  if (!shown.person) return noPerson(shown.type);
  if (!shown.wantsPasskey) return undefined;
  return shown.passkey?.personId === shown.person.personId ? undefined : CODES.passkeyRefused;
}

function isSameFace(document: VerificationAnswer['document']): boolean {
  const score = document?.matchScore ?? null;
  return score !== null && Number.isFinite(score) && score >= FACE_MATCH_THRESHOLD;
}

export function noPerson(type: Operation): number {
  return type === 'ENROLL' ? CODES.enrollmentFailed : CODES.authenticationFailed;
}

function fail(code: number): VerificationDecision {
  const errors = describeErrors([code]);
  return { status: 'FAILED', flowStatus: 'COMPLETED', person: undefined, errors, findings: describeFindings([code]) };
}

function unfinished(status: 'CANCELLED' | 'EXPIRED') {
  return { status, flowStatus: status, person: undefined, findings: [] };
}

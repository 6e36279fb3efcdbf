// Composes the outcome of a verification session, its webhook's body, and its result.
import type {
  Indicators,
  RiskEvaluation,
  VerificationFailure,
  VerificationSessionResult,
  VerificationWebhook,
} from '@limen/contract';
import type { ApiKeyTraits, VerificationContents, VerificationOutcome } from '../lifecycle/kinds.ts';
import type { Session } from '../lifecycle/session.ts';
import type { VerificationAnswer, VerificationDecision } from './rules.ts';

interface OutcomeFacts {
  decision: VerificationDecision;
  answer: VerificationAnswer | undefined;
  wasKnown: boolean;
  retryAfter: number | undefined;
  indicators: Indicators | null;
  riskEvaluation: RiskEvaluation;
  trustable: ApiKeyTraits | undefined;
  endedAt: number;
}

const MESSAGES = {
  ENROLL: 'Enrollment successful',
  'SIGN-IN': 'Sign-in successful',
  VERIFY: 'Verification successful',
} as const;
const UNFINISHED_MESSAGES = { CANCELLED: 'The session was cancelled', EXPIRED: 'The session expired' } as const;

export function composeOutcome(contents: VerificationContents, facts: OutcomeFacts): VerificationOutcome {
  const { decision, answer, retryAfter, indicators, riskEvaluation, trustable } = facts;
  const { status, flowStatus, errors } = decision;
  return {
    status,
    flowStatus,
    message: chooseMessage(contents, facts),
    ...(decision.person && answer && tellPerson(contents, facts, answer)),
    ...(status === 'FAILED' && retryAfter !== undefined && { retryAfter }),
    ...(indicators && { indicators }),
    ...(trustable && { trustable }),
    riskEvaluation,
    errors,
  };
}

function chooseMessage({ type }: VerificationContents, { decision, wasKnown }: OutcomeFacts): string {
  const { status, errors } = decision;
  if (status === 'CANCELLED' || status === 'EXPIRED') return errors[0]?.message ?? UNFINISHED_MESSAGES[status];
  if (status === 'FAILED') return errors[0]?.message ?? 'Unknown error';
  return type === 'ENROLL' && wasKnown ? 'User already enrolled' : MESSAGES[type];
}

function tellPerson(
  { contact, estimateAge }: VerificationContents,
  { decision, endedAt }: OutcomeFacts,
  { face, document, contact: left }: VerificationAnswer,
) {
  const { puid, guid } = decision.person ?? {};
  const verifiedAt = document ? Date.parse(document.verifiedAt) : endedAt;
  const contactFields = contact.flatMap((field) =>
    left?.[field] === undefined ? [] : [[field, left[field]] as const],
  );
  const age = estimateAge && 'estimate' in face ? face.estimate : undefined;
  return {
    ...(puid !== undefined && { puid }),
    ...(guid !== undefined && { guid }),
    identityInformation: {
      ...(document && { documentType: document.type }),
      verificationDate: String(verifiedAt),
    },
    ...(contactFields.length > 0 && { contactInformation: Object.fromEntries(contactFields) }),
    ...(age !== undefined && { estimatedAge: age }),
  };
}

/** A failed SIGN-IN or VERIFY has a body of its own. */
export function composeWebhook(
  session: Session<'verification'>,
  { flowStatus: _, trustable: __, retryAfter, ...outcome }: VerificationOutcome,
): VerificationWebhook | VerificationFailure {
  const { type, transactionId } = session.contents;
  const names = { sessionId: session.id, ...(transactionId !== undefined && { transactionId }) };
  if (type === 'ENROLL' || outcome.status !== 'FAILED') return { ...names, ...outcome };
  return {
    status: 'error',
    message: outcome.message ?? 'Unknown error',
    errorCodes: outcome.errors.map(({ code }) => code),
    ...(retryAfter !== undefined && { retryAfter }),
    ...names,
  };
}

export function buildVerificationResult(
  session: Session<'verification'>,
  outcome: VerificationOutcome | undefined = session.outcome,
): VerificationSessionResult {
  const { type, transactionId } = session.contents;
  const transaction = transactionId === undefined ? {} : { transactionId };
  if (!outcome) return { sessionId: session.id, type, status: 'PENDING', ...transaction };
  const { flowStatus: _, trustable: __, status, ...rest } = outcome;
  const isFailure = type !== 'ENROLL' && status === 'FAILED';
  return {
    sessionId: session.id,
    type,
    status,
    ...transaction,
    ...rest,
    ...(isFailure && { errorCodes: outcome.errors.map(({ code }) => code) }),
  };
}

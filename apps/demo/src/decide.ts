// What a host would make of a result: it acts on the recommendation, as docs/age-sessions.md and docs/verification.md
// have it.
import type { AgeSessionResult, VerificationSessionResult } from '@limen/sdk';
import type { Operation } from './verification-options.ts';

export interface Decision {
  answer: 'yes' | 'no' | 'review' | 'again';
  title: string;
  why: string;
}

/** Undefined until the session has ended. */
export function decide(result: AgeSessionResult | VerificationSessionResult): Decision | undefined {
  return 'sessionStatus' in result ? decideAge(result) : decideVerification(result);
}

function decideAge({ flowStatus, sessionStatus, riskEvaluation }: AgeSessionResult): Decision | undefined {
  if (flowStatus === undefined) return undefined;
  const isBelow = sessionStatus === 'AGE_BELOW_THRESHOLD';
  switch (riskEvaluation?.recommendation) {
    case 'ALLOW':
      return { answer: 'yes', title: 'Let in', why: 'Old enough, and nothing looks suspicious.' };
    case 'BLOCK':
      return no(isBelow ? 'The age is below the threshold.' : 'Something was not genuine, whatever the age.');
    default:
      if (sessionStatus === 'AGE_UNKNOWN')
        return { answer: 'again', title: 'Another try', why: 'The check ended without an age.' };
      return isBelow
        ? {
            answer: 'review',
            title: 'Ask for a document',
            why: 'Only the cautious lower bound is below the threshold.',
          }
        : {
            answer: 'review',
            title: 'Have somebody look',
            why: 'Old enough, but the risk calls for a second look.',
          };
  }
}

const SUCCESSES: Readonly<Record<Operation, readonly [title: string, why: string]>> = {
  ENROLL: ['Enrolled', 'Keep the puid with your account.'],
  'SIGN-IN': ['Let in', 'The face matches someone you enrolled; the puid says who.'],
  VERIFY: ['Let in', 'This is the person you asked for.'],
};

function decideVerification({
  type,
  status,
  riskEvaluation,
  message,
}: VerificationSessionResult): Decision | undefined {
  if (status === 'PENDING') return undefined;
  const risk = riskEvaluation?.recommendation ?? 'REVIEW';
  if (risk === 'BLOCK') return no('The risk is too high, whatever the face says.');
  if (status === 'FAILED') return no(`The service says: ${message ?? 'failed'}.`);
  if (status !== 'SUCCESS') return { answer: 'again', title: 'Another try', why: 'The check was not completed.' };
  const [title, why] = SUCCESSES[type];
  if (risk === 'ALLOW') return { answer: 'yes', title, why };
  return { answer: 'review', title: 'Ask for one more proof', why: 'The face matches, but the risk calls for more.' };
}

function no(why: string): Decision {
  return { answer: 'no', title: 'Refuse', why };
}

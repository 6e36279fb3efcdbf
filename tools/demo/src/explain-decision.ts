// Explains a host's decision on a result. The SDK makes the decision.
import { type AgeSessionResult, decide, type HostDecision, type VerificationSessionResult } from '@limen/sdk';
import type { Operation } from './verification-options.ts';

export type Result = AgeSessionResult | VerificationSessionResult;

export interface Explanation {
  answer: 'yes' | 'no' | 'review' | 'again';
  title: string;
  why: string;
}

/** Returns undefined until the session has ended. */
export function explainDecision(result: Result): Explanation | undefined {
  const { reason } = decide(result);
  return reason === 'not_ended' ? undefined : EXPLANATIONS[reason](result);
}

const EXPLANATIONS: Readonly<Record<Exclude<HostDecision['reason'], 'not_ended'>, (result: Result) => Explanation>> = {
  allowed: (result) => ({ answer: 'yes', ...admitted(result) }),
  review_allowed: (result) => ({
    answer: 'yes',
    title: admitted(result).title,
    why: 'A reviewer looked at the check and allowed it.',
  }),
  blocked: (result) =>
    refused(
      'sessionStatus' in result && result.sessionStatus === 'AGE_BELOW_THRESHOLD'
        ? 'The age is below the threshold.'
        : 'Something was not genuine, or the risk is too high.',
    ),
  review_blocked: () => refused('A reviewer looked at the check and refused it.'),
  failed: (result) => refused(`The service says: ${('message' in result ? result.message : undefined) ?? 'failed'}.`),
  not_completed: () => ({ answer: 'again', title: 'Another try', why: 'The check was not completed.' }),
  not_understood: () => refused('The outcome has a form that this page does not know.'),
  in_review: (result) => ({ answer: 'review', title: 'Wait for the review', why: whyInReview(result) }),
};

const SUCCESSES: Readonly<Record<Operation, readonly [title: string, why: string]>> = {
  ENROLL: ['Enrolled', 'Keep the puid with your account.'],
  'SIGN-IN': ['Let in', 'The face matches someone you enrolled; the puid says who.'],
  VERIFY: ['Let in', 'This is the person you asked for.'],
};

function admitted(result: Result): Pick<Explanation, 'title' | 'why'> {
  if ('sessionStatus' in result) return { title: 'Let in', why: 'Old enough, and nothing looks suspicious.' };
  const [title, why] = SUCCESSES[result.type];
  return { title, why };
}

function whyInReview(result: Result): string {
  if (!('sessionStatus' in result)) return 'The face matches, but the risk calls for more. Or ask for one more proof.';
  return result.sessionStatus === 'AGE_BELOW_THRESHOLD'
    ? 'Only the cautious lower bound is below the threshold. Or ask for a document.'
    : 'Old enough, but the risk calls for a second look. Or ask for a document.';
}

function refused(why: string): Explanation {
  return { answer: 'no', title: 'Refuse', why };
}

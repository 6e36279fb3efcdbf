// What a host would make of a result: age and risk looked at together, as docs/age-sessions.md has it.
import type { AgeSessionResult } from '@limen/sdk';

export interface Decision {
  answer: 'yes' | 'no' | 'review' | 'again';
  title: string;
  why: string;
}

/** Codes of a spoof, and of a document that is somebody else's. */
const CAUGHT = [1, -9];

/** Undefined until the session has ended. */
export function decide(result: AgeSessionResult): Decision | undefined {
  const { flowStatus, sessionStatus, riskEvaluation, errors } = result;
  if (flowStatus === undefined) return undefined;
  const risk = riskEvaluation?.recommendation ?? 'REVIEW';
  if (risk === 'BLOCK') return no('The risk is too high, whatever the age.');
  if (sessionStatus === 'AGE_UNKNOWN') {
    if (errors.some(({ code }) => CAUGHT.includes(code))) return no('Something was not genuine, and there is no age.');
    return { answer: 'again', title: 'Another try', why: 'The check ended without an age.' };
  }
  if (sessionStatus === 'AGE_BELOW_THRESHOLD') return no('The age is below the threshold.');
  if (risk === 'ALLOW')
    return { answer: 'yes', title: 'Let in', why: 'The age suffices and nothing speaks against it.' };
  return {
    answer: 'review',
    title: 'Have somebody look',
    why: 'The age suffices, but the risk asks for a second look.',
  };
}

function no(why: string): Decision {
  return { answer: 'no', title: 'Refuse', why };
}

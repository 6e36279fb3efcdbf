// Combines the score of a name with all other comparisons into the score of a match.
import type { DateRelation } from '../dates/compare-dates.ts';
import { roundScore } from '../matching/name-search.ts';
import { BEST_LEAD, EQUAL_NAME, STOP, WORTH_A_LOOK } from '../matching/score.ts';
import type { Context } from './compare-context.ts';
import type { IdentifierComparison } from './compare-identifiers.ts';

/** An equal strong identifier is a match by itself. A matching name makes it certain. */
const IDENTIFIED = 0.97;
const CERTAIN = 1;
/** Deductions from an identified entity: numbers are mistyped and reused. */
const IDENTIFIED_BUT = { birthDate: 0.07, kind: 0.2, otherForLife: 0.05 } as const;
/**
 * Deduction for a different country. Ships change flags and companies their seat, but keep numbers
 * from worldwide registers, so these remain matches. National numbers are reissued in other
 * countries. A matching name rules that out; without it the score is below a stop, and with a
 * different date below a review.
 */
const IDENTIFIED_ELSEWHERE = { ofOneRegister: 0.01, named: 0.03, alone: 0.06 } as const;
/** A number that others may share only identifies a match worth a review. */
const IDENTIFIED_BY_SHARED = 0.8;

/** Shares of the remaining doubt removed by an equal country, address or weak identifier. */
const SUPPORTS = { country: 0.1, address: 0.25, identifier: 0.3 } as const;
/** Factors for a different country or a different identifier for life. */
const SPEAKS_AGAINST = { country: 0.96, identifier: 0.75 } as const;
/** A different country alone never lowers a complete name below this score. */
const WHOLE_NAME_ELSEWHERE = STOP;

export const DATES_APART: ReadonlySet<DateRelation> = new Set(['apart', 'conflict', 'off']);

export interface SubjectVerdict {
  /** Score of the best name including date of birth. 0 if no name is similar. */
  name: number;
  birthDate: DateRelation;
  context: Context;
  /** Whether the kinds conflict, such as a person and a ship. */
  isOtherKind: boolean;
}

export function judgeSubject(judged: SubjectVerdict): number {
  const { identifier } = judged.context;
  const score = weighUp(judged, identifier?.relation);
  if (!identifier?.isContradicted) return roundScore(score);
  return roundScore(identifier.isForLife ? score - IDENTIFIED_BUT.otherForLife : score * SPEAKS_AGAINST.identifier);
}

/** Matching evidence never lowers the score that would result without it. */
function weighUp(judged: SubjectVerdict, relation: IdentifierComparison['relation'] | undefined): number {
  if (relation === undefined || relation === 'differs') return weighName(judged, false);
  const supported = weighName(judged, true);
  if (relation === 'alike') return supported;
  const isHit = relation === 'equal' || (relation === 'shared' && judged.name >= WORTH_A_LOOK);
  return Math.max(supported, identify(judged, isHit));
}

/** Score by the name and its supporting or contradicting evidence. */
function weighName({ name, context: { address, country } }: SubjectVerdict, hasIdentifier: boolean): number {
  let score = name;
  if (hasIdentifier) score = support(score, SUPPORTS.identifier);
  if (address) score = support(score, SUPPORTS.address);
  if (country?.relation === 'alike') score = support(score, SUPPORTS.country);
  if (country?.relation !== 'differs') return score;
  return Math.max(score * SPEAKS_AGAINST.country, name >= EQUAL_NAME ? WHOLE_NAME_ELSEWHERE : 0);
}

function identify({ name, birthDate, context, isOtherKind }: SubjectVerdict, isHit: boolean): number {
  let score = isHit ? IDENTIFIED + (CERTAIN - IDENTIFIED) * name : IDENTIFIED_BY_SHARED;
  if (DATES_APART.has(birthDate)) score -= IDENTIFIED_BUT.birthDate;
  if (context.country?.relation === 'differs') score -= IDENTIFIED_ELSEWHERE[placeOf(name, context.identifier)];
  return isOtherKind ? score - IDENTIFIED_BUT.kind : score;
}

function placeOf(name: number, identifier: Context['identifier']): keyof typeof IDENTIFIED_ELSEWHERE {
  if (identifier?.isOfOneRegister) return 'ofOneRegister';
  return name >= WORTH_A_LOOK ? 'named' : 'alone';
}

/** Maximum score of a name without a strong identifier. */
export function mostFrom(name: number, hasContext: boolean): number {
  return hasContext ? roundScore(Object.values(SUPPORTS).reduce(support, name)) : name;
}

/** Supporting evidence does not raise a name into the review band. */
function support(score: number, share: number): number {
  const lifted = score + (1 - score) * share;
  return score < WORTH_A_LOOK ? Math.min(lifted, BEST_LEAD) : lifted;
}

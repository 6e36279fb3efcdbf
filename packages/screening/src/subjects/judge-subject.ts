// From the score of a name and what else compares to the score of a match.
import type { DateRelation } from '../dates/compare-dates.ts';
import { roundScore } from '../matching/name-search.ts';
import { BEST_LEAD, EQUAL_NAME, STOP, WORTH_A_LOOK } from '../matching/score.ts';
import type { Context } from './compare-context.ts';
import type { IdentifierComparison } from './compare-identifiers.ts';

/** An equal strong identifier is a hit by itself; a name that agrees as well makes it certain. */
const IDENTIFIED = 0.97;
const CERTAIN = 1;
/** Taken off an identified one: numbers are mistyped and reused, and a date of birth or a kind never changes. */
const IDENTIFIED_BUT = { birthDate: 0.07, kind: 0.2, otherForLife: 0.05 } as const;
/**
 * Taken off for another country. Ships change their flag and companies their seat, and keep the number that one register in
 * the world gave them: a hit all the same. A national number is given anew in another country; a name that agrees says that
 * it was not, and without one there is less than what an analyst would stop, and with another date less than what is worth
 * a look.
 */
const IDENTIFIED_ELSEWHERE = { ofOneRegister: 0.01, named: 0.03, alone: 0.06 } as const;
/** A number that others may have as well identifies only what is worth a look without it; the rest is a lead at best. */
const IDENTIFIED_BY_SHARED = 0.8;

/** Shares of the doubt that is left which go with an equal country, address or weak identifier. */
const SUPPORTS = { country: 0.1, address: 0.25, identifier: 0.3 } as const;
/** What is left of a score when a country, or an identifier for life, is another one. */
const SPEAKS_AGAINST = { country: 0.96, identifier: 0.75 } as const;
/** Where people live is not where they are from: for another country alone, nobody with the whole name falls below this. */
const WHOLE_NAME_ELSEWHERE = STOP;

export const DATES_APART: ReadonlySet<DateRelation> = new Set(['apart', 'conflict', 'off']);

export interface Judged {
  /** Of the best name, its date of birth included; 0 where no name is alike. */
  name: number;
  birthDate: DateRelation;
  context: Context;
  /** Whether one is a person and the other a ship, or the like. */
  isOtherKind: boolean;
}

export function judgeSubject(judged: Judged): number {
  const { identifier } = judged.context;
  const score = weighUp(judged, identifier?.relation);
  if (!identifier?.isContradicted) return roundScore(score);
  return roundScore(identifier.isForLife ? score - IDENTIFIED_BUT.otherForLife : score * SPEAKS_AGAINST.identifier);
}

/** What agrees never takes away from what the score is without it, whatever else speaks against the two. */
function weighUp(judged: Judged, relation: IdentifierComparison['relation'] | undefined): number {
  if (relation === undefined || relation === 'differs') return weighName(judged, false);
  const supported = weighName(judged, true);
  if (relation === 'alike') return supported;
  const isHit = relation === 'equal' || (relation === 'shared' && judged.name >= WORTH_A_LOOK);
  return Math.max(supported, identify(judged, isHit));
}

/** By the name and what supports it or speaks against it. */
function weighName({ name, context: { address, country } }: Judged, hasIdentifier: boolean): number {
  let score = name;
  if (hasIdentifier) score = support(score, SUPPORTS.identifier);
  if (address) score = support(score, SUPPORTS.address);
  if (country?.relation === 'alike') score = support(score, SUPPORTS.country);
  if (country?.relation !== 'differs') return score;
  return Math.max(score * SPEAKS_AGAINST.country, name >= EQUAL_NAME ? WHOLE_NAME_ELSEWHERE : 0);
}

function identify({ name, birthDate, context, isOtherKind }: Judged, isHit: boolean): number {
  let score = isHit ? IDENTIFIED + (CERTAIN - IDENTIFIED) * name : IDENTIFIED_BY_SHARED;
  if (DATES_APART.has(birthDate)) score -= IDENTIFIED_BUT.birthDate;
  if (context.country?.relation === 'differs') score -= IDENTIFIED_ELSEWHERE[placeOf(name, context.identifier)];
  return isOtherKind ? score - IDENTIFIED_BUT.kind : score;
}

function placeOf(name: number, identifier: Context['identifier']): keyof typeof IDENTIFIED_ELSEWHERE {
  if (identifier?.isOfOneRegister) return 'ofOneRegister';
  return name >= WORTH_A_LOOK ? 'named' : 'alone';
}

/** The highest score that a name can come to, whatever else agrees short of a strong identifier. */
export function mostFrom(name: number, hasContext: boolean): number {
  return hasContext ? roundScore(Object.values(SUPPORTS).reduce(support, name)) : name;
}

/** What only supports a name does not lift it to what an analyst would want to see. */
function support(score: number, share: number): number {
  const lifted = score + (1 - score) * share;
  return score < WORTH_A_LOOK ? Math.min(lifted, BEST_LEAD) : lifted;
}

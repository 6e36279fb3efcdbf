// Mends a zone whose check digits do not hold, where a single other character does it and nothing else would.
import { findFailedCheck } from '../mrz/check-zone.ts';
import { LAYOUTS, type Span, type ZoneFormat, type ZoneLayout } from '../mrz/formats.ts';
import { type Grammar, grammarOf } from '../mrz/grammar.ts';
import type { Decision } from './evidence.ts';

/** e⁵, about 150 times less likely than what was read: less likely ones are no misreadings, but other characters. */
const MAX_LOSS = 5;
/** The next solution has to be e³, about 20 times, less likely than the one that is taken. */
const MIN_LEAD = 3;

interface Solution {
  at: number;
  text: string;
  loss: number;
}

export interface Repair {
  text: string;
  /** The position that was altered. */
  at: number;
}

/**
 * `several`: more than one character would do it, and nothing tells which. Two characters at a time are never tried: that
 * gave numbers with valid check digits that no document had.
 */
export function repairZone(
  decision: Decision,
  format: ZoneFormat,
  isPossible: (text: string) => boolean,
): Repair | 'none' | 'several' {
  const layout = LAYOUTS[format];
  const solutions = findSolutions(decision, layout, grammarOf(format)).filter(({ text }) => isPossible(text));
  const [best, next] = solutions.toSorted((a, b) => a.loss - b.loss);
  if (!best || best.loss > MAX_LOSS) return 'none';
  if (next && next.loss - best.loss < MIN_LEAD) return 'several';
  const date = datesOf(layout).find((span) => isWithin(best.at, span));
  // A date, or its digit, is altered only where no other character of the two would do, however unlikely.
  if (date && solutions.some((other) => other !== best && isWithin(other.at, date))) return 'several';
  return best;
}

/** Characters that could neither be the solution nor rival one are left out, except in dates: see repairZone. */
function findSolutions(decision: Decision, layout: ZoneLayout, grammar: Grammar): Solution[] {
  const { text } = decision;
  const dates = datesOf(layout);
  const solutions: Solution[] = [];
  for (const at of listRepairable(layout)) {
    const isDate = dates.some((span) => isWithin(at, span));
    for (const character of grammar[at]!) {
      const loss = decision.lossOf(at, character);
      if (character === text[at] || (!isDate && loss > MAX_LOSS + MIN_LEAD)) continue;
      const altered = text.slice(0, at) + character + text.slice(at + 1);
      if (findFailedCheck(altered, layout) === null) solutions.push({ at, text: altered, loss });
    }
  }
  return solutions;
}

/** With their digits: to alter the digit is to believe the date. */
function datesOf({ spans, birthDigit, expiryDigit }: ZoneLayout): Span[] {
  return [
    [spans.birth[0], birthDigit + 1],
    [spans.expiry[0], expiryDigit + 1],
  ];
}

/**
 * What check digits are counted over, and the digits. Dates and their digits only with a composite digit: a single digit
 * can be satisfied by altering any character of its field.
 */
function listRepairable({ spans, composite, compositeDigit, numberDigit }: ZoneLayout): number[] {
  const listed: Span[] =
    compositeDigit === null
      ? [spans.number, [numberDigit, numberDigit + 1]]
      : [...composite, [compositeDigit, compositeDigit + 1]];
  return listed.flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index));
}

function isWithin(at: number, [from, to]: Span): boolean {
  return at >= from && at < to;
}

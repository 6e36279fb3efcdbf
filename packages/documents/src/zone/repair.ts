// Repairs a zone with failed check digits if exactly one changed character fixes it.
import { findFailedCheck } from '../mrz/check-zone.ts';
import { LAYOUTS, type Span, type ZoneFormat, type ZoneLayout } from '../mrz/formats.ts';
import { createGrammar, type Grammar } from '../mrz/grammar.ts';
import type { Decision } from './evidence.ts';

/** e⁵: less likely characters are no misreadings. */
const MAX_LOSS = 5;
/** e³: required lead over the next solution. */
const MIN_LEAD = 3;

interface Solution {
  at: number;
  text: string;
  loss: number;
}

export interface Repair {
  text: string;
  /** Changed position. */
  at: number;
}

/** `several`: more than one character would fix it. Never tries two at once. */
export function repairZone(
  decision: Decision,
  format: ZoneFormat,
  isPossible: (text: string) => boolean,
): Repair | 'none' | 'several' {
  const layout = LAYOUTS[format];
  const solutions = findSolutions(decision, layout, createGrammar(format)).filter(({ text }) => isPossible(text));
  const [best, next] = solutions.toSorted((a, b) => a.loss - b.loss);
  if (!best || best.loss > MAX_LOSS) return 'none';
  if (next && next.loss - best.loss < MIN_LEAD) return 'several';
  const date = listDates(layout).find((span) => isWithin(best.at, span));
  // Changes a date or its digit only if no other character of the two would fix it, however
  // unlikely.
  if (date && solutions.some((solution) => solution !== best && isWithin(solution.at, date))) return 'several';
  return best;
}

/** Omits characters that can be neither a solution nor a rival, except in dates: see repairZone. */
function findSolutions(decision: Decision, layout: ZoneLayout, grammar: Grammar): Solution[] {
  const { text } = decision;
  const dates = listDates(layout);
  const solutions: Solution[] = [];
  for (const at of listRepairable(layout)) {
    const isDate = dates.some((span) => isWithin(at, span));
    for (const character of grammar[at]!) {
      const loss = decision.computeLoss(at, character);
      if (character === text[at] || (!isDate && loss > MAX_LOSS + MIN_LEAD)) continue;
      const altered = text.slice(0, at) + character + text.slice(at + 1);
      if (findFailedCheck(altered, layout) === null) solutions.push({ at, text: altered, loss });
    }
  }
  return solutions;
}

/** Includes their digits, because changing a digit confirms its date. */
function listDates({ spans, birthDigit, expiryDigit }: ZoneLayout): Span[] {
  return [
    [spans.birth[0], birthDigit + 1],
    [spans.expiry[0], expiryDigit + 1],
  ];
}

/** Positions covered by check digits. Dates only count with a composite digit. */
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

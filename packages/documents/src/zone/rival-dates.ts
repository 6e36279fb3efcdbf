// Looks for another date that a zone may have meant: of double misreadings check digits let one in ten to a hundred pass.
import { findFailedCheck } from '../mrz/check-zone.ts';
import type { Span, ZoneLayout } from '../mrz/formats.ts';
import type { Grammar } from '../mrz/grammar.ts';
import type { Decision } from './evidence.ts';

/** e⁹, about 8,000 times less likely than what was read: what is less likely than this was not meant. */
const MAX_LOSS = 9;

interface Other {
  at: number;
  character: string;
  loss: number;
}

/**
 * Whether two other characters in a date and its digit would satisfy all check digits just as well, and are not too
 * unlikely. One alone cannot: the digits tell it.
 */
export function hasRivalDate(decision: Decision, text: string, layout: ZoneLayout, grammar: Grammar): boolean {
  const dates: Span[] = [
    [layout.spans.birth[0], layout.birthDigit + 1],
    [layout.spans.expiry[0], layout.expiryDigit + 1],
  ];
  return dates.some((span) => {
    const others = listOthers(decision, text, span, grammar);
    return others.some((one, index) =>
      others.slice(index + 1).some((two) => {
        if (one.at === two.at || one.loss + two.loss > MAX_LOSS) return false;
        return findFailedCheck(replace(replace(text, one), two), layout) === null;
      }),
    );
  });
}

function listOthers(decision: Decision, text: string, [from, to]: Span, grammar: Grammar): Other[] {
  const others: Other[] = [];
  for (let at = from; at < to; at += 1) {
    for (const character of grammar[at]!) {
      const loss = decision.lossOf(at, character);
      if (character !== text[at] && loss <= MAX_LOSS) others.push({ at, character, loss });
    }
  }
  return others;
}

function replace(text: string, { at, character }: Other): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

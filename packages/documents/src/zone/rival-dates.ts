// Searches for another date that a zone may mean: check digits miss one of ten to a hundred double
// misreadings.
import { findFailedCheck } from '../mrz/check-zone.ts';
import type { Span, ZoneLayout } from '../mrz/formats.ts';
import type { Grammar } from '../mrz/grammar.ts';
import type { Decision } from './evidence.ts';

/** e⁹: less likely characters were not meant. */
const MAX_LOSS = 9;
/**
 * A character that looks like another in every frame (dirt, damage) is misread with confidence. The
 * true one is much less likely but stands out from the rest: by e² on average, where noise gives
 * less for two characters at once.
 */
const MIN_LEAD = 2;
/** Fainter traces are the recognizer's own: it leaves some below e⁻²⁰ on perfect pictures. */
const MAX_TRACE_LOSS = 18;

interface Other {
  at: number;
  character: string;
  loss: number;
}

/** Returns whether other plausible characters of a date satisfy all check digits. */
export function hasRivalDate(decision: Decision, text: string, layout: ZoneLayout, grammar: Grammar): boolean {
  const dates: Span[] = [
    [layout.spans.birth[0], layout.birthDigit + 1],
    [layout.spans.expiry[0], layout.expiryDigit + 1],
  ];
  return dates.some(
    (span) =>
      hasLikelyPair(listOthers(decision, text, span, grammar), text, layout) ||
      hasTracedDate(listTraces(decision, text, span, layout), text, layout),
  );
}

/** Returns whether any two are jointly plausible. */
function hasLikelyPair(others: Other[], text: string, layout: ZoneLayout): boolean {
  return others.some((first, index) =>
    others.slice(index + 1).some((second) => {
      if (first.at === second.at || first.loss + second.loss > MAX_LOSS) return false;
      return findFailedCheck(replace(replace(text, first), second), layout) === null;
    }),
  );
}

/** Returns whether any two or more stand out, however unlikely. */
function hasTracedDate(traces: Other[], text: string, layout: ZoneLayout): boolean {
  for (let chosen = 1; chosen < 2 ** traces.length; chosen += 1) {
    const altered = traces.reduce((so, trace, bit) => ((chosen >> bit) & 1 ? replace(so, trace) : so), text);
    if (findFailedCheck(altered, layout) === null) return true;
  }
  return false;
}

function listOthers(decision: Decision, text: string, [from, to]: Span, grammar: Grammar): Other[] {
  const others: Other[] = [];
  for (let at = from; at < to; at += 1) {
    for (const character of grammar[at]!) {
      const loss = decision.computeLoss(at, character);
      if (character !== text[at] && loss <= MAX_LOSS) others.push({ at, character, loss });
    }
  }
  return others;
}

/** Positions of the date, its digit, and the composite digit, which may be misread too. */
function listTraces(decision: Decision, text: string, [from, to]: Span, { compositeDigit }: ZoneLayout): Other[] {
  const places = Array.from({ length: to - from }, (_, index) => from + index);
  if (compositeDigit !== null) places.push(compositeDigit);
  return places.flatMap((at) => {
    const others: Other[] = [];
    // After a repair, the original reading is another choice.
    if (text[at] !== decision.text[at]) others.push({ at, character: decision.text[at]!, loss: 0 });
    const second = decision.findSecond(at);
    const standsOut = second && second.lead >= MIN_LEAD && second.loss <= MAX_TRACE_LOSS;
    if (standsOut && second.character !== text[at]) others.push({ at, character: second.character, loss: second.loss });
    return others;
  });
}

function replace(text: string, { at, character }: Other): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

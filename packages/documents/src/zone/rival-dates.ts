// Looks for another date that a zone may have meant: of double misreadings check digits let one in ten to a hundred pass.
import { findFailedCheck } from '../mrz/check-zone.ts';
import type { Span, ZoneLayout } from '../mrz/formats.ts';
import type { Grammar } from '../mrz/grammar.ts';
import type { Decision } from './evidence.ts';

/** e⁹, about 8,000 times less likely than what was read: what is less likely than this was not meant. */
const MAX_LOSS = 9;
/**
 * A character that looks like another in every frame (dirt, a damaged print) is misread surely, and the true one is far less
 * likely than what was read, but still stands out from those that nothing speaks for: by e² on the average of the frames
 * at least, where noise makes less than that of two characters at a time.
 */
const MIN_LEAD = 2;
/** Fainter traces than this are the recogniser's own: it leaves some below e⁻²⁰ on perfect pictures. */
const MAX_TRACE_LOSS = 18;

interface Other {
  at: number;
  character: string;
  loss: number;
}

/**
 * Whether other characters in a date and its digit would satisfy all check digits just as well, and are not too unlikely.
 * One alone cannot: the digits tell it.
 */
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

/** Any two that are together not too unlikely. */
function hasLikelyPair(others: Other[], text: string, layout: ZoneLayout): boolean {
  return others.some((one, index) =>
    others.slice(index + 1).some((two) => {
      if (one.at === two.at || one.loss + two.loss > MAX_LOSS) return false;
      return findFailedCheck(replace(replace(text, one), two), layout) === null;
    }),
  );
}

/** Any two or more of the second choices that stand out, however unlikely. */
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
      const loss = decision.lossOf(at, character);
      if (character !== text[at] && loss <= MAX_LOSS) others.push({ at, character, loss });
    }
  }
  return others;
}

/** Of the date and its digit, and of the composite digit, which may have been misread along with them. */
function listTraces(decision: Decision, text: string, [from, to]: Span, { compositeDigit }: ZoneLayout): Other[] {
  const places = Array.from({ length: to - from }, (_, index) => from + index);
  if (compositeDigit !== null) places.push(compositeDigit);
  return places.flatMap((at) => {
    const others: Other[] = [];
    // Where it was mended, what was read itself is another choice.
    if (text[at] !== decision.text[at]) others.push({ at, character: decision.text[at]!, loss: 0 });
    const second = decision.secondOf(at);
    const standsOut = second && second.lead >= MIN_LEAD && second.loss <= MAX_TRACE_LOSS;
    if (standsOut && second.character !== text[at]) others.push({ at, character: second.character, loss: second.loss });
    return others;
  });
}

function replace(text: string, { at, character }: Other): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

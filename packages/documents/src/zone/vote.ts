// Combines readings of several frames until they agree on a zone, or on failed check digits.
import { chooseFormat, LAYOUTS, type Span, type ZoneFormat, type ZoneLayout } from '../mrz/formats.ts';
import { createGrammar } from '../mrz/grammar.ts';
import { type ParsedZone, parseZone } from '../mrz/parse-zone.ts';
import { addFrame, type Decision, decide, fits, type Pile, takeFrame } from './evidence.ts';
import type { ZoneReading } from './read-group.ts';
import { repairZone } from './repair.ts';
import { hasRivalDate } from './rival-dates.ts';

/** `undecided`: more frames are needed. `inconsistent`: they agree on failed check digits. */
export type ZoneOutcome =
  | { state: 'undecided' }
  | { state: 'inconsistent' }
  | { state: 'read'; zone: ParsedZone; pile: number };

/** The current document and the previous one, so that a single bad frame costs only itself. */
const MAX_PILES = 2;
/** Agreeing frames for each character of fields without a check digit, such as names. */
const MIN_AGREEING = 2;
/** Minimum log margin of each character of a date. */
const MIN_DATE_MARGIN = 3;
/** Minimum log margin where check digits are weak: after a repair, and on visas. */
const MIN_WEAK_DATE_MARGIN = 6;
const MIN_OPEN_MARGIN = 1;
/** Required agreeing frames and margin before a document counts as wrong rather than misread. */
const MIN_INCONSISTENT_FRAMES = 4;
const MIN_INCONSISTENT_MARGIN = 4;

/** `today` decides the century of two-digit years, as in parseZone. */
export function createZoneVote(today: string) {
  // Most recent pile first. Frames of different documents are never combined.
  let piles: { number: number; frames: Pile }[] = [];
  // Never reused, so that no document is mistaken for an earlier one.
  let numbers = 0;

  return {
    /** Adds a reading. Returns the number of its document; null without a zone. */
    add(reading: ZoneReading): number | null {
      const frame = takeFrame(reading);
      if (!frame) return null;
      const pile = piles.find(({ frames }) => fits(frames, frame)) ?? { number: ++numbers, frames: [] };
      addFrame(pile.frames, frame);
      piles = [pile, ...piles.filter((candidate) => candidate !== pile)].slice(0, MAX_PILES);
      return pile.number;
    },
    clear(): void {
      piles = [];
    },
    result(): ZoneOutcome {
      const [pile] = piles;
      if (!pile || pile.frames.length < MIN_AGREEING) return { state: 'undecided' };
      const judged = judgePile(pile.frames, today);
      return judged.state === 'read' ? { ...judged, pile: pile.number } : judged;
    },
  };
}

type Judged = Exclude<ZoneOutcome, { state: 'read' }> | { state: 'read'; zone: ParsedZone };

function judgePile(pile: Pile, today: string): Judged {
  const format = findFormat(pile);
  if (!format) return { state: 'undecided' };
  const layout = LAYOUTS[format];
  const grammar = createGrammar(format);
  const seen = decide(pile, grammar);
  const decision = { ...seen, text: cleanNames(seen.text, layout) };
  const read = (text: string) => parseZone(splitLines(text, layout), today);

  let outcome = read(decision.text);
  let altered: number | null = null;
  let mended = decision.text;
  if ('refused' in outcome) {
    if (outcome.refused !== 'check_digit' && outcome.refused !== 'date') return { state: 'undecided' };
    const repair = repairZone(decision, format, (text) => !('refused' in read(text)));
    if (repair === 'none' && isSurelyWrong(decision, layout, pile)) return { state: 'inconsistent' };
    if (typeof repair === 'string') return { state: 'undecided' };
    outcome = read(repair.text);
    altered = repair.at;
    mended = repair.text;
  }
  if ('refused' in outcome || !isSure(decision, layout, altered)) return { state: 'undecided' };
  if (hasRivalDate(decision, mended, layout, grammar)) return { state: 'undecided' };
  return { state: 'read', zone: outcome };
}

/** The first character distinguishes cards and passports from visas of the same shape. */
function findFormat(pile: Pile): ZoneFormat | null {
  const { lines, width } = pile[0]!;
  const initials = (Object.values(LAYOUTS) as ZoneLayout[])
    .filter((layout) => layout.lines === lines && layout.width === width)
    .map((layout) => layout.initials)
    .join('');
  return chooseFormat(lines, width, decide(pile, [initials]).text);
}

/** Removes dirt after the name, which ends after three fillers. */
function cleanNames(text: string, layout: ZoneLayout): string {
  const [from, to] = layout.spans.names;
  const end = text.indexOf('<<<', from);
  return end < 0 || end >= to ? text : text.slice(0, end) + '<'.repeat(to - end) + text.slice(to);
}

function isSure({ text, margins, agreeing }: Decision, layout: ZoneLayout, altered: number | null): boolean {
  const { spans, birthDigit, expiryDigit } = layout;
  const isAll = ([from, to]: Span, minMargin: number) => {
    for (let at = from; at < to; at += 1) {
      if (at !== altered && (agreeing[at]! < MIN_AGREEING || margins[at]! < minMargin)) return false;
    }
    return true;
  };
  const nameEnd = text.indexOf('<<<', spans.names[0]);
  const names: Span = nameEnd < 0 ? spans.names : [spans.names[0], Math.min(nameEnd, spans.names[1])];
  const isStrong = altered === null && layout.compositeDigit !== null;
  const dateMargin = isStrong ? MIN_DATE_MARGIN : MIN_WEAK_DATE_MARGIN;
  return (
    isAll([spans.birth[0], birthDigit + 1], dateMargin) &&
    isAll([spans.expiry[0], expiryDigit + 1], dateMargin) &&
    [spans.code, spans.issuer, spans.nationality, spans.sex].every((span) => isAll(span, MIN_OPEN_MARGIN)) &&
    isAll(names, 0)
  );
}

function isSurelyWrong({ margins, agreeing }: Decision, layout: ZoneLayout, pile: Pile): boolean {
  const needed = Math.max(MIN_INCONSISTENT_FRAMES, Math.ceil(pile.length * 0.75));
  const { composite, compositeDigit, spans } = layout;
  const checked: Span[] =
    compositeDigit === null
      ? [
          [spans.number[0], layout.numberDigit + 1],
          [spans.birth[0], layout.birthDigit + 1],
          [spans.expiry[0], layout.expiryDigit + 1],
        ]
      : [...composite, [compositeDigit, compositeDigit + 1]];
  return checked.every(([from, to]) => {
    for (let at = from; at < to; at += 1) {
      if (agreeing[at]! < needed || margins[at]! < MIN_INCONSISTENT_MARGIN) return false;
    }
    return true;
  });
}

function splitLines(text: string, { lines, width }: ZoneLayout): string[] {
  return Array.from({ length: lines }, (_, line) => text.slice(line * width, (line + 1) * width));
}

// Segmentations of a name: as written, with two parts joined, or with one part split.
import { classifyPart, TOKEN_PARTICLE } from '../names/part-class.ts';
import { isWomansName } from '../names/variants.ts';
import type { PartLookup } from './part-lookup.ts';
import type { QueryPart } from './query.ts';

/** Factor for matches by a segmentation other than the written one. */
export const OTHER_READING = 0.995;
/** Maximum number of segmentations besides the written one. Each is a separate search. */
const MAX_FURTHER_READINGS = 4;
const MIN_JOINED = 5;
const MIN_HALF = 2;
const MAX_SYLLABLE = 3;
const NO_CUTS: readonly number[] = [];

/** Sorts the parts, because their order in the row must not matter. */
export function inFixedOrder(parts: readonly QueryPart[]): QueryPart[] {
  return parts.toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}

/** Takes `parts` in fixed order. */
export function furtherReadings(parts: QueryPart[], lookup: PartLookup): QueryPart[][] {
  const readings: QueryPart[][] = [];
  // Uses ordered pairs, so that the order of the parts does not matter.
  for (let first = 0; first < parts.length; first += 1) {
    for (let second = 0; second < parts.length; second += 1) {
      if (first === second) continue;
      if (readings.length === MAX_FURTHER_READINGS) return readings;
      const [firstPart, secondPart] = [parts[first]!, parts[second]!];
      if (mayJoin(firstPart, secondPart) && lookup.isListed(firstPart.text + secondPart.text))
        readings.push([join(firstPart, secondPart), ...parts.filter((_, at) => at !== first && at !== second)]);
    }
  }
  for (const joined of joinScript(parts)) {
    if (readings.length === MAX_FURTHER_READINGS) return readings;
    if (lookup.find(joined.part).tokens.length > 0) readings.push([joined.part, ...joined.others]);
  }
  // Most names have no part that can be split.
  const cuts = parts.map((part) => (isWhole(part) ? NO_CUTS : lookup.cutsOf(part.text)));
  if (cuts.filter(({ length }) => length > 0).length > 1)
    readings.push(parts.flatMap((part, at) => (cuts[at]!.length === 0 ? [part] : halve(part, cuts[at]![0]!))));
  for (const [at, part] of parts.entries()) {
    const pieces = isWhole(part) ? [] : lookup.piecesOf(part.text);
    if (pieces.length > 0)
      readings.push(parts.toSpliced(at, 1, ...pieces.map((text) => ({ ...part, text, script: undefined }))));
  }
  for (const [at, part] of parts.entries()) {
    for (const cut of cuts[at]!) {
      if (readings.length === MAX_FURTHER_READINGS) return readings;
      readings.push([...parts.slice(0, at), ...halve(part, cut), ...parts.slice(at + 1)]);
    }
  }
  return readings;
}

/** Does not split words without vowels. Danielle is not Daniel and a particle. */
function isWhole({ text, vowelless }: QueryPart): boolean {
  return vowelless || isWomansName(text);
}

const SERVANT_OF = /^abd(?:[aeiou]{1,2}[lrsnz]?)?$/;
/** Equal sounds may still be different names. */
export const JOINED_BY_SOUND = 0.99;

/**
 * Joins Van der Berg to Vanderberg, and Abd al-Qadir bin Ali to Abdalqadir Binali, if something
 * similar is listed. Returns undefined if joining two parts as written does the same.
 */
export function joinParticles(parts: readonly QueryPart[], lookup: PartLookup): QueryPart[] | undefined {
  const isPrefix = ({ text, vowelless }: QueryPart) =>
    !vowelless && (SERVANT_OF.test(text) || (classifyPart(text, false) & TOKEN_PARTICLE) !== 0);
  if (!parts.some(isPrefix)) return undefined;
  const joined: QueryPart[] = [];
  let prefixes: QueryPart[] = [];
  let isOther = false;
  for (const part of parts.toSorted((a, b) => a.place - b.place)) {
    prefixes.push(part);
    if (isPrefix(part)) continue;
    const text = prefixes.map((prefix) => prefix.text).join('');
    const isJoined = prefixes.length > 1 && !part.vowelless && text.length >= MIN_JOINED && lookup.isSounded(text);
    if (isJoined) {
      isOther ||= prefixes.length > 2 || !lookup.isListed(text);
      joined.push({ ...part, text, script: undefined, written: prefixes.map(({ written }) => written).join(' ') });
    } else joined.push(...prefixes);
    prefixes = [];
  }
  joined.push(...prefixes);
  return isOther || joined.length < parts.length - 1 ? inFixedOrder(joined) : undefined;
}

/** Scripts without vowels write them in sequence, but lists as one word. */
function* joinScript(parts: readonly QueryPart[]): Generator<{ part: QueryPart; others: QueryPart[] }> {
  for (const first of parts) {
    const script = scriptOf(first);
    const second = script === undefined ? undefined : parts.find(({ place }) => place === first.place + 1);
    const rest = second && scriptOf(second);
    if (second === undefined || rest === undefined || script!.length + rest.length < MIN_JOINED) continue;
    const text = script + rest;
    const part = { ...first, text, vowelless: true, script: undefined, written: `${first.written} ${second.written}` };
    yield { part, others: parts.filter((part) => part !== first && part !== second) };
  }
}

/** Returns the vowelless form. Undefined for other scripts, and for prefixes. */
function scriptOf({ text, script, vowelless }: QueryPart): string | undefined {
  return script ?? (vowelless ? text : undefined);
}

function mayJoin(first: QueryPart, second: QueryPart): boolean {
  if (first.vowelless || second.vowelless || first.text.length + second.text.length < MIN_JOINED) return false;
  return first.text.length >= MIN_HALF && second.text.length >= MIN_HALF;
}

function join(first: QueryPart, second: QueryPart): QueryPart {
  return { ...first, text: first.text + second.text, script: undefined, written: `${first.written} ${second.written}` };
}

function halve(part: QueryPart, cut: number): [QueryPart, QueryPart] {
  return [
    { ...part, text: part.text.slice(0, cut), script: undefined, halfOf: part.text },
    { ...part, text: part.text.slice(cut), script: undefined, halfOf: part.text },
  ];
}

/** A syllable cut from a word, and the rest of that word, as bit masks. */
export interface CutSyllable {
  syllable: number;
  rest: number;
}

/** Nguyenson does not match Sun, although it can be split into Nguyen and Son. */
export function cutSyllables(reading: readonly QueryPart[]): CutSyllable[] {
  const found: CutSyllable[] = [];
  for (const [at, { text, halfOf }] of reading.entries()) {
    const next = reading[at + 1];
    if (halfOf === undefined || next?.halfOf !== halfOf || text + next.text !== halfOf) continue;
    const [first, second] = [1 << at, 1 << (at + 1)];
    if (isSyllable(next.text)) found.push({ syllable: second, rest: first });
    if (isSyllable(text)) found.push({ syllable: first, rest: second });
  }
  return found;
}

function isSyllable(text: string): boolean {
  return text.length <= MAX_SYLLABLE && (classifyPart(text, false) & TOKEN_PARTICLE) === 0;
}

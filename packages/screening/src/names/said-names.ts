// Strips additions from a queried name: `Messrs Orvelia Ltd - Dubai Branch`, `Crude Oil Tanker
// Orvel Star (Panama)`. Listed names are never shortened: if a list has a branch, it means the
// branch.
import { KIND_ORGANIZATION, KIND_VESSEL, type Kind } from '../kind.ts';
import { splitFormerNames } from './former-names.ts';
import { isLegalWord } from './organisation/legal-form.ts';
import { findOrganizationForms } from './organisation/word-forms.ts';
import { classifyPart, TOKEN_BUSINESS, TOKEN_PARTICLE, TOKEN_PLACE } from './part-class.ts';
import { canonicalSpelling } from './spelling.ts';
import { BEFORE_NAME, BEHIND_NAME, OF_PLACE, OFFICES, PLACES_OPEN_WITH } from './tables/added-words.ts';
import { CRAFT_TYPES } from './tables/craft-types.ts';

/** A name as words with positions, to be cut before folding. */
interface WordAt {
  text: string;
  start: number;
  end: number;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Without accents, in lower case. */
function splitWords(name: string): WordAt[] {
  return Array.from(name.matchAll(WORD), ({ 0: word, index }) => ({
    text: word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

type Phrases = ReadonlyMap<number, ReadonlySet<string>>;

/** Phrases of a comma-separated table by number of words, longest first. */
function phrasesOf(table: string): Phrases {
  const byLength = new Map<number, Set<string>>();
  for (const phrase of table.trim().split(/\s*,\s*/)) {
    const { length } = phrase.split(' ');
    byLength.set(length, (byLength.get(length) ?? new Set()).add(phrase));
  }
  return new Map([...byLength].toSorted(([a], [b]) => b - a));
}

/** Returns the number of words of the longest phrase that starts at a word, or 0. */
function phraseAt(words: readonly WordAt[], at: number, phrases: Phrases): number {
  for (const [length, known] of phrases)
    if (at + length <= words.length && known.has(textOf(words.slice(at, at + length)))) return length;
  return 0;
}

/** Returns the number of words of the longest phrase that ends before a word, or 0. */
function phraseBefore(words: readonly WordAt[], end: number, phrases: Phrases): number {
  for (const [length, known] of phrases)
    if (length <= end && known.has(textOf(words.slice(end - length, end)))) return length;
  return 0;
}

function textOf(words: readonly WordAt[]): string {
  return words.map(({ text }) => text).join(' ');
}

const craftTypes = phrasesOf(CRAFT_TYPES);
const beforeName = phrasesOf(BEFORE_NAME);
const behindName = phrasesOf(BEHIND_NAME);
const offices = phrasesOf(OFFICES);
const ofPlace = phrasesOf(OF_PLACE);
const openPlaces = phrasesOf(PLACES_OPEN_WITH);

/** Maximum number of names. Each is a separate search. */
const MOST_NAMES = 6;
/** Maximum number of words of a place: Democratic People's Republic of Korea. */
const MOST_OF_PLACE = 6;
const SLASHED = /^[a-z](?: [a-z])+$/;
const PLACE_IN_BRACKETS = /^(.*\S)\s*[([]\s*([^()[\]]+?)\s*[)\]][\s.,;]*$/su;
const PLACE_BEHIND_SIGN = /^(.*?\S)(?:\s*,\s*|\s+[-–—]+\s*|\s*[–—]\s*)([^,–—]+?)[\s.;]*$/su;
const FLAG = /^(?:flag(?:ged)?(?: state)?(?: of)?[\s:]+)|[\s-]+flag(?:ged)?$/iu;

/** Returns the name without possible additions. `isCertain`: whether the kind is known. */
export function stripAdditions(name: string, kind: Kind, isCertain: boolean): string[] {
  if (kind !== KIND_ORGANIZATION && kind !== KIND_VESSEL) return [];
  const wholes =
    kind === KIND_VESSEL ? [name, ...(splitFormerNames(name, kind) ?? []).map(({ text }) => text)] : [name];
  const cut = kind === KIND_VESSEL ? cutShip : (text: string) => cutOrganization(text, isCertain);
  const found = new Set<string>();
  const left = [...wholes];
  for (let text = left.shift(); text !== undefined && found.size < MOST_NAMES; text = left.shift())
    for (const shorter of cut(text)) {
      if (shorter === name || found.has(shorter)) continue;
      found.add(shorter);
      left.push(shorter);
    }
  return [...found].slice(0, MOST_NAMES);
}

function cutShip(name: string): string[] {
  const words = splitWords(name);
  let [first, end] = [0, words.length];
  for (let length = 1; length > 0 && first < end; first += length) length = typeAt(name, words, first);
  for (let length = 1; length > 0 && end > first; end -= length) length = phraseBefore(words, end, craftTypes);
  // A name made only of such words remains as it is.
  if (first >= end) return [];
  const kept = [[first, end] as const, [first, words.length] as const, [0, end] as const]
    .filter(([from, to]) => to - from < words.length)
    .map(([from, to]) => between(name, words, from, to));
  return [...new Set([...kept, ...withoutPlace(name, () => true)])];
}

/** Letters with a slash form one sign, as in `M/T`. Separate ones are initials. */
function typeAt(name: string, words: readonly WordAt[], at: number): number {
  const length = phraseAt(words, at, craftTypes);
  const [word, nextWord] = [words[at], words[at + 1]];
  const isSign = length === 2 && word!.text.length === 1 && nextWord!.text.length === 1;
  return isSign && !/[./]/.test(name.slice(word!.end, nextWord!.start)) ? 0 : length;
}

function cutOrganization(name: string, isCertain: boolean): string[] {
  const words = splitWords(name);
  if (words.length < 2) return [];
  const isName = (text: string) => isCertain || splitWords(text).some((word) => isTrade(word));
  const front = frontOf(name, words);
  if (front > 0 && front < words.length) return [between(name, words, front, words.length)];
  const behind = phraseBefore(words, words.length, behindName);
  if (behind > 0 && behind < words.length) return [between(name, words, 0, words.length - behind)];
  return [...withoutOffice(name, words), ...withoutPlace(name, isName)];
}

function frontOf(name: string, words: readonly WordAt[]): number {
  const length = phraseAt(words, 0, beforeName);
  if (length === 0) return 0;
  const isSign = SLASHED.test(
    words
      .slice(0, length)
      .map(({ text }) => text)
      .join(' '),
  );
  return isSign && !/^[a-z]\/[a-z]/i.test(name.trimStart()) ? 0 : length;
}

/** `… Dubai Branch`, `… Hong Kong Office`, `… Office in Dubai`. */
function withoutOffice(name: string, words: readonly WordAt[]): string[] {
  for (let behind = 0; behind <= 3 && behind < words.length - 1; behind += 1) {
    const end = words.length - behind;
    const length = phraseBefore(words, end, offices);
    if (length === 0) continue;
    const isOfPlace = behind === 0 || phraseAt(words, end, ofPlace) > 0 || behind <= placeLength(words, words.length);
    const first = end - length;
    if (!isOfPlace || first < 1) return [];
    const whole = between(name, words, 0, first);
    // After a dash or a comma it is a place of any length, see withoutPlace.
    if (behind > 0 || /[-–—,(]/.test(name.slice(words[first - 1]!.end, words[first]!.start))) return [whole];
    const place = placeLength(words, first);
    return place > 0 && first > place ? [whole, between(name, words, 0, first - place)] : [whole];
  }
  return [];
}

/**
 * Returns how many words before a position may be a place: one, or two if they start as places do.
 */
function placeLength(words: readonly WordAt[], end: number): number {
  const last = words[end - 1];
  if (last === undefined || !mayBePlace([last])) return 0;
  const before = words[end - 2];
  return before !== undefined && phraseAt([before], 0, openPlaces) > 0 ? 2 : 1;
}

function withoutPlace(name: string, isName: (text: string) => boolean): string[] {
  const found: string[] = [];
  for (const pattern of [PLACE_IN_BRACKETS, PLACE_BEHIND_SIGN]) {
    const [, before = '', place = ''] = pattern.exec(name) ?? [];
    const words = splitWords(place.replace(FLAG, ''));
    if (words.length > 0 && mayBePlace(words) && splitWords(before).length > 0 && isName(before)) found.push(before);
  }
  return found;
}

/**
 * Accepts any few words, because no table has all towns, except activities, legal forms and
 * numbers.
 */
function mayBePlace(words: readonly WordAt[]): boolean {
  return (
    words.length <= MOST_OF_PLACE &&
    words.every((word) => /^\p{L}{2,}$/u.test(word.text) && (isPartOfPlace(word) || !saysMore(word))) &&
    words.some((word) => !isLegalWord(word.text))
  );
}

const isTrade = ({ text }: WordAt) => (classifyPart(text, false) & TOKEN_BUSINESS) !== 0;

/** Words for a company's activity or type, in any language. */
function saysMore(word: WordAt): boolean {
  if (isTrade(word) || isLegalWord(word.text)) return true;
  const forms = findOrganizationForms(canonicalSpelling(word.text));
  return forms.length > 0 && !isKnownPlace(word.text) && !forms.some(({ text }) => isKnownPlace(text));
}

const isKnownPlace = (text: string) => (classifyPart(text, false) & TOKEN_PLACE) !== 0;

/** New York, South Korea, Republic of Iran. */
function isPartOfPlace(word: WordAt): boolean {
  return phraseAt([word], 0, openPlaces) > 0 || (classifyPart(word.text, false) & TOKEN_PARTICLE) !== 0;
}

function between(name: string, words: readonly WordAt[], from: number, to: number): string {
  const end = words[to - 1]!.end;
  const text = name.slice(words[from]!.start, end);
  // Includes the matching closing bracket and the full stop of `Co.`.
  if (text.lastIndexOf('(') > text.lastIndexOf(')')) return `${text})`;
  return name.charAt(end) === '.' ? `${text}.` : text;
}

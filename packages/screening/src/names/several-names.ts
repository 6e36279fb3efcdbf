// Splits a text with several names: `X aka Y`, `X née Y`, `X & Y`, or the same name twice.
import { foldName } from './fold-name.ts';
import { namedParts } from './named-parts.ts';
import { classifyPart, TOKEN_BUSINESS, TOKEN_TITLE } from './part-class.ts';
import { words } from './tables/words.ts';

/** Maximum number of names. Each is a separate search. */
const MAX_NAMES = 5;
/** A repeated word can be a real name: Boutros Boutros. */
const MIN_REPEATED = 2;
const MIN_PARTS = 2;
/** Words that start the rest of a longer name: Mohd Alias bin Ibrahim. */
const SON_OF = new Set(words('bin bn ibn bint binti binte'));

const ALIAS_MARKERS = wholeWordPattern(
  String.raw`[afn][./]?k[./]?a\.?|alias|(?:also|formerly|previously|otherwise|now)\s+known\s+as`,
  'iu',
);
/** Without the accent only in lower case, because Nee is a family name. */
const BORN = wholeWordPattern('[Nn]ée?|NÉE?|nee|[Gg]eb\\.|[Gg]eborene[rn]?', 'u');
/** Not the slash of `s/o` (son of) and `c/o`. */
const TWO_PEOPLE = new RegExp(
  String.raw`&|(?<!(?<!\p{L})\p{L})\/(?!\p{L}(?!\p{L}))|${wholeWordPattern('and|und', 'iu').source}`,
  'iu',
);
const ANY_SEPARATOR = new RegExp(`${ALIAS_MARKERS.source}|${TWO_PEOPLE.source}`, 'iu');

/** Every such text contains one of these words, or a sign. */
const HINTS = new Set(words('aka fka nka k ka alias known nee ne geb geborene geborener and und'));
const SIGN = /[&/]/;

/** Pre-check. Hardly any text has several names, and its words are parsed anyway. */
export function mayContainSeveralNames(text: string, parts: readonly { text: string }[]): boolean {
  return SIGN.test(text) || parts.some((part) => HINTS.has(part.text));
}

function wholeWordPattern(words: string, flags: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`, flags);
}

/** Returns the names of people in a text that separates several. Empty for nearly all texts. */
export function namesWithin(text: string): string[] {
  const normalized = text.normalize('NFC');
  if (!ANY_SEPARATOR.test(normalized) && !BORN.test(normalized)) return [];
  const names = normalized.split(ALIAS_MARKERS).flatMap(splitPeople).flatMap(withNameAtBirth);
  const further = names.map(trimToLetters).filter((name) => name !== trimToLetters(normalized) && isName(name));
  return [...new Set(further)].slice(0, MAX_NAMES);
}

/** Both must be names: `John & Jane Rivers` share one, and `Smith & Sons` is none. */
function splitPeople(text: string): string[] {
  const people = text.split(TWO_PEOPLE);
  return people.every(isName) ? people : [text];
}

/** `Anna Rivers née Malik` is Anna Rivers and Anna Malik. `Rivers, Anna` also works. */
function withNameAtBirth(text: string): string[] {
  const [now, ...bornNames] = text.split(BORN).map(trimToLetters);
  const born = bornNames.join(' ');
  if (now === undefined || now === '' || born === '') return [text];
  const [, givenNames = now] = /^[^,]+,(.+)$/.exec(now) ?? /^(.+?)\s+[^\s,]+$/.exec(now) ?? [];
  return givenNames === now ? [`${now} ${born}`] : [now, `${givenNames} ${born}`];
}

/** A complete name of a person. A single word is in too many names. */
function isName(text: string): boolean {
  const parts = foldName(text).map((part) => ({ ...part, flags: classifyPart(part.text, part.vowelless) }));
  const named = parts.filter(({ flags }) => (flags & TOKEN_TITLE) === 0);
  if (named.length < MIN_PARTS || SON_OF.has(named[0]!.text)) return false;
  return named.every(({ flags }) => (flags & TOKEN_BUSINESS) === 0);
}

/** Range from the first to the last letter. */
function trimToLetters(text: string): string {
  return /[\p{L}\p{N}](?:.*[\p{L}\p{N}\p{M}.])?/su.exec(text)?.[0] ?? '';
}

/**
 * Returns the parts of a name that is repeated in any order, in the order of its first occurrence.
 * Undefined for other names.
 */
export function withoutRepeat<Part extends { text: string; vowelless: boolean }>(parts: Part[]): Part[] | undefined {
  if (parts.length < 2 * MIN_REPEATED) return undefined;
  return firstOfEqual(parts) ?? firstOfEqual(namedParts(parts));
}

function firstOfEqual<Part extends { text: string }>(parts: Part[]): Part[] | undefined {
  for (let length = MIN_REPEATED; length * 2 <= parts.length; length += 1) {
    if (parts.length % length !== 0) continue;
    const first = wordsOf(parts.slice(0, length));
    const starts = Array.from({ length: parts.length / length }, (_, at) => at * length);
    if (starts.every((at) => wordsOf(parts.slice(at, at + length)) === first)) return parts.slice(0, length);
  }
  return undefined;
}

function wordsOf(parts: readonly { text: string }[]): string {
  const texts = parts.map(({ text }) => text);
  return texts.sort().join(' ');
}

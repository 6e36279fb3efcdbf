// One text with several names in it: `X aka Y`, `X née Y`, `X & Y`, or the same name twice.
import { foldName } from './fold-name.ts';
import { namedParts } from './named-parts.ts';
import { classifyPart, TOKEN_BUSINESS, TOKEN_TITLE } from './part-class.ts';
import { words } from './tables/words.ts';

/** Each is a search of its own; what a crafted name costs grows with them. */
const MOST_NAMES = 5;
/** A word that comes twice is a name that some have: Boutros Boutros. */
const LEAST_REPEATED = 2;
const LEAST_PARTS = 2;
/** What they begin is the end of a longer name: Mohd Alias bin Ibrahim. */
const SON_OF = new Set(words('bin bn ibn bint binti binte'));

const AGAIN_NAMED = wordly(
  String.raw`[afn][./]?k[./]?a\.?|alias|(?:also|formerly|previously|otherwise|now)\s+known\s+as`,
  'iu',
);
/** Without its accent only in small letters: Nee is a family name. */
const BORN = wordly('[Nn]ée?|NÉE?|nee|[Gg]eb\\.|[Gg]eborene[rn]?', 'u');
/** Not the stroke of `s/o`, son of, and of `c/o`. */
const TWO_PEOPLE = new RegExp(
  String.raw`&|(?<!(?<!\p{L})\p{L})\/(?!\p{L}(?!\p{L}))|${wordly('and|und', 'iu').source}`,
  'iu',
);
const ANY_OF_THEM = new RegExp(`${AGAIN_NAMED.source}|${TWO_PEOPLE.source}`, 'iu');

/** One of these is in every such text, unless a sign is. */
const HINTS = new Set(words('aka fka nka k ka alias known nee ne geb geborene geborener and und'));
const SIGN = /[&/]/;

/** Whether it is worth looking: nearly no text has several names, and its words have been read anyway. */
export function maySaySeveral(text: string, parts: readonly { text: string }[]): boolean {
  return SIGN.test(text) || parts.some((part) => HINTS.has(part.text));
}

function wordly(words: string, flags: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`, flags);
}

/** The names of people in a text that says there are several; none for nearly all texts. */
export function namesWithin(text: string): string[] {
  const told = text.normalize('NFC');
  if (!ANY_OF_THEM.test(told) && !BORN.test(told)) return [];
  const names = told.split(AGAIN_NAMED).flatMap(splitPeople).flatMap(withNameAtBirth);
  const further = names.map(trim).filter((name) => name !== trim(told) && isName(name));
  return [...new Set(further)].slice(0, MOST_NAMES);
}

/** Both are names, or neither: `John & Jane Rivers` share one, and `Smith & Sons` is none. */
function splitPeople(text: string): string[] {
  const people = text.split(TWO_PEOPLE);
  return people.every(isName) ? people : [text];
}

/** `Anna Rivers née Malik` is Anna Rivers and Anna Malik; the family name may stand first, before a comma. */
function withNameAtBirth(text: string): string[] {
  const [now, ...others] = text.split(BORN).map(trim);
  const born = others.join(' ');
  if (now === undefined || now === '' || born === '') return [text];
  const [, given = now] = /^[^,]+,(.+)$/.exec(now) ?? /^(.+?)\s+[^\s,]+$/.exec(now) ?? [];
  return given === now ? [`${now} ${born}`] : [now, `${given} ${born}`];
}

/** Of a person, whole: a word alone is in too many names. */
function isName(text: string): boolean {
  const parts = foldName(text).map((part) => ({ ...part, flags: classifyPart(part.text, part.vowelless) }));
  const named = parts.filter(({ flags }) => (flags & TOKEN_TITLE) === 0);
  if (named.length < LEAST_PARTS || SON_OF.has(named[0]!.text)) return false;
  return named.every(({ flags }) => (flags & TOKEN_BUSINESS) === 0);
}

/** From the first letter to the last. */
function trim(text: string): string {
  return /[\p{L}\p{N}](?:.*[\p{L}\p{N}\p{M}.])?/su.exec(text)?.[0] ?? '';
}

/** The parts of a name that comes several times over, in whatever order, as they come first; undefined for any other. */
export function withoutRepeat<Part extends { text: string; vowelless: boolean }>(parts: Part[]): Part[] | undefined {
  if (parts.length < 2 * LEAST_REPEATED) return undefined;
  return firstOfEqual(parts) ?? firstOfEqual(namedParts(parts));
}

function firstOfEqual<Part extends { text: string }>(parts: Part[]): Part[] | undefined {
  for (let length = LEAST_REPEATED; length * 2 <= parts.length; length += 1) {
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

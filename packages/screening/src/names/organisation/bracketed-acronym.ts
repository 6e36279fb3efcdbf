// Names with a bracketed abbreviation: Petróleos de Venezuela (PDVSA), NITC (National Iranian
// Tanker).
import { foldName } from '../fold-name.ts';
import { classifyPart, TOKEN_PLACE } from '../part-class.ts';

export interface NameWithAcronym {
  /** Name with spaces in place of the abbreviation, so that all positions stay valid. */
  name: string;
  acronym: { text: string; start: number; end: number };
}

const IN_BRACKETS = /^([^()]*)\(([^()]+)\)([^()]*)$/;
const CAPITALS = /^\s*\p{Lu}[\p{Lu}\d.-]{1,8}\s*$/u;
const MIN_WORDS = 2;
const MIN_LETTERS = 3;
/** Initial of a legal form that only the short name has. */
const LEGAL_ENDING = /(?:sa|ca|co|ag|sl|spa|srl|llc|ltd|plc)$/;

/** Returns undefined if brackets are missing or contain a country, a form or a place. */
export function splitAcronym(name: string): NameWithAcronym | undefined {
  if (!name.includes('(')) return undefined;
  const pieces = IN_BRACKETS.exec(name);
  if (!pieces) return undefined;
  const [, before = '', inside = '', behind = ''] = pieces;
  const insideFrom = before.length + 1;
  if (isShortFor(inside, before))
    return without(name, { text: lettersOf(inside), start: insideFrom, end: insideFrom + inside.length });
  if (behind.trim() === '' && isShortFor(before, inside))
    return without(name, { text: lettersOf(before), start: 0, end: before.trimEnd().length });
  return undefined;
}

function without(name: string, acronym: NameWithAcronym['acronym']): NameWithAcronym {
  const blank = ' '.repeat(acronym.end - acronym.start);
  return { name: name.slice(0, acronym.start) + blank + name.slice(acronym.end), acronym };
}

function lettersOf(text: string): string {
  return foldName(text)
    .map((part) => part.text)
    .join('');
}

/** Returns whether the text has the name's first letter and others in order: KOMID, IRGC. */
function isShortFor(short: string, long: string): boolean {
  if (!CAPITALS.test(short) || foldName(long).length < MIN_WORDS) return false;
  const letters = lettersOf(short);
  const spelled = lettersOf(long);
  if (letters.length < MIN_LETTERS || letters[0] !== spelled[0]) return false;
  if ((classifyPart(letters, false) & TOKEN_PLACE) !== 0) return false;
  const named = letters.replace(LEGAL_ENDING, '');
  return isSpelledIn(letters, spelled) || (named.length >= MIN_LETTERS && isSpelledIn(named, spelled));
}

function isSpelledIn(letters: string, spelled: string): boolean {
  let at = 0;
  for (let next = 0; next < spelled.length && at < letters.length; next += 1)
    if (spelled[next] === letters[at]) at += 1;
  return at === letters.length;
}

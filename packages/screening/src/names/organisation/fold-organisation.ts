// Splits the name of an organization, a ship or an aircraft into parts: words, legal forms,
// numbers.
import { unifyArabic } from '../arabic-script.ts';
import { type FoldedPart, foldName, MAX_PARTS } from '../fold-name.ts';
import { CRAFT_LETTERS, CRAFT_PREFIXES, NUMBER_SIGNS } from '../tables/craft-words.ts';
import { PHRASES, WORDS_IN_ARABIC_SCRIPT } from '../tables/organisation-synonyms.ts';
import { words } from '../tables/words.ts';
import { initialsOf } from './acronym.ts';
import { findLegalForms, legalFormTexts } from './legal-form.ts';
import { CODE_MARK, LEGAL_MARK, NUMBER_MARK } from './marks.ts';
import { numberAt } from './number-part.ts';
import { unifyRomanization } from './plain-romanisation.ts';

/** Words between two names or before one, and prefixes joined by a hyphen. */
const JOINED_PREFIXES = new Set(words('co non anti pre re sub inter multi micro mini bio geo hydro aero agro petro'));
const craftPrefixes = new Set(CRAFT_PREFIXES);
const numberSigns = new Set(NUMBER_SIGNS);

/** Phrases by first word, longest first, in unifyRomanization's spelling. */
const phrases = new Map<string, { from: readonly string[]; to: readonly string[] }[]>();
for (const line of PHRASES) {
  const [written = [], to = []] = line.split(':').map(words);
  const from = written.map(unifyRomanization);
  const known = phrases.get(from[0]!) ?? [];
  phrases.set(
    from[0]!,
    [...known, { from, to }].toSorted((a, b) => b.from.length - a.from.length),
  );
}

export function foldOrganization(name: string): FoldedPart[] {
  return readMarked(foldWords(name), name, { withLegalForms: true });
}

function foldWords(name: string): FoldedPart[] {
  const spelled = name.search(SPELLED_OUT) >= 0 ? spellSigns(name) : undefined;
  const parts = foldName(spelled?.text ?? name);
  if (spelled) {
    for (const part of parts) {
      part.start = spelled.places[part.start]!;
      part.end = spelled.places[part.end - 1]! + 1;
    }
  }
  return replacePhrases(joinLetters(splitDigits(translate(parts, name)), name), name);
}

/** Registration of an aircraft or call sign of a ship: EP-MNK, YV2896. */
const REGISTRATION = /^\s*[A-Z0-9]{1,3}-?[A-Z0-9]{2,5}\s*$/;
/** Same, with a space for the hyphen or in lower case, which may also be a ship's name. */
const AIRCRAFT_ALONE = /^\s*(?:[A-Z0-9]{1,2} [A-Z0-9]{2,5}|[a-z0-9]{1,3}-[a-z0-9]{2,5})\s*$/;

/** A registration is a single part. A ship's registration has a digit. */
export function foldRegistration(name: string, ofAircraft: boolean): FoldedPart[] | undefined {
  const isOne = ofAircraft
    ? REGISTRATION.test(name) || AIRCRAFT_ALONE.test(name)
    : REGISTRATION.test(name) && /[A-Z]-?\d|\d-?[A-Z]/.test(name);
  if (!isOne) return undefined;
  const [folded] = foldName(name.trim().replace(/[- ]/, ''));
  return folded && [{ ...folded, text: CODE_MARK + folded.text, start: 0, end: name.length }];
}

/** Splits as for organizations, without the ship prefix. `AS` and `SAL` are plain words there. */
export function foldCraft(name: string): FoldedPart[] {
  const parts = readMarked(foldWords(name), name, { withLegalForms: false });
  let first = 0;
  while (first < parts.length - 1 && isCraftPrefix(parts, first, name)) first += 1;
  return parts.slice(first);
}

function isCraftPrefix(parts: FoldedPart[], at: number, name: string): boolean {
  const { text, end } = parts[at]!;
  if (craftPrefixes.has(text)) return true;
  const next = parts[at + 1]!;
  // The letters of `M/V`. The letters of `M.V.` arrive joined.
  const isPair = text.length === 1 && next.text.length === 1 && name.slice(end, next.start).trim() === '/';
  return (
    isPair || (at > 0 && text.length === 1 && CRAFT_LETTERS.includes(text) && name.charAt(parts[at]!.start - 1) === '/')
  );
}

/**
 * Replaces signs that are words, the Arabic `and`, bracketed characters in one sign, and affixes in
 * scripts without spaces.
 */
const SPELLED_OUT = /[&+%№㈱㈲㈜]|บริษัท|ห้างหุ้นส่วน|จำกัด|มหาชน|(?<![\p{L}\p{M}])و(?=ال\p{L}{3}|\s)/gu;
const SPELLED: Readonly<Record<string, string>> = {
  '&': ' and ',
  '+': ' and ',
  '%': ' percent',
  و: ' and ',
  '№': ' no ',
  '㈱': ' 株 ',
  '㈲': ' 有 ',
  '㈜': ' 주 ',
};

/** `places` maps each character to its original position. */
function spellSigns(name: string): { text: string; places: number[] } {
  let text = '';
  const places: number[] = [];
  const copy = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) places.push(at);
    text += name.slice(from, to);
  };
  let done = 0;
  for (const { 0: sign, index } of name.matchAll(SPELLED_OUT)) {
    copy(done, index);
    const spelled = SPELLED[sign];
    if (spelled === undefined) {
      text += ' ';
      places.push(index);
      copy(index, index + sign.length);
      text += ' ';
      places.push(index + sign.length - 1);
    } else {
      for (let letter = 0; letter < spelled.length; letter += 1) places.push(index);
      text += spelled;
    }
    done = index + sign.length;
  }
  copy(done, name.length);
  return { text, places };
}

const meanings = new Map(
  Object.entries(WORDS_IN_ARABIC_SCRIPT).flatMap(([meaning, written]) =>
    words(written).map((word) => [plainArabic(word), meaning]),
  ),
);

/** Also removes joiners within words. */
function plainArabic(word: string): string {
  return unifyArabic(word.replace(/\p{Cf}/gu, ''));
}

/** Generic words in Arabic script, which can otherwise only be compared by consonants. */
function translate(parts: FoldedPart[], name: string): FoldedPart[] {
  if (!parts.some(({ vowelless }) => vowelless)) return parts;
  return parts.map((part) => {
    if (!part.vowelless) return part;
    const meaning = meanings.get(plainArabic(name.slice(part.start, part.end)));
    return meaning === undefined ? part : { ...part, text: meaning, vowelless: false };
  });
}

/** `AHL1` is a word and a number. `1st` is one number, `3M` and `4x4` are names. */
function splitDigits(parts: FoldedPart[]): FoldedPart[] {
  if (!parts.some(({ text }) => /[a-z]{2}\d/.test(text))) return parts;
  return parts.flatMap((part) => {
    const pieces = /^([a-z]{2,})(\d+)$/.exec(part.text);
    if (!pieces || part.end - part.start !== part.text.length) return [part];
    const cut = part.start + pieces[1]!.length;
    return [
      { ...part, text: pieces[1]!, end: cut },
      { ...part, text: pieces[2]!, start: cut },
    ];
  });
}

/** The letters of `A.B.C.` and the halves of `Co-operation` form one word. */
function joinLetters(parts: FoldedPart[], name: string): FoldedPart[] {
  const joined: FoldedPart[] = [];
  let isRun = false;
  for (const part of parts) {
    const before = joined.at(-1);
    const between = before === undefined ? '' : name.slice(before.end, part.start);
    const isLetter = /^[a-z]$/.test(part.text);
    const joins = isLetter && isRun ? /^\.\s?$/.test(between) : between === '-' && JOINED_PREFIXES.has(before!.text);
    if (joins) joined[joined.length - 1] = { ...before!, text: before!.text + part.text, end: part.end };
    else joined.push(part);
    isRun = isLetter;
  }
  return joined;
}

function replacePhrases(parts: FoldedPart[], name: string): FoldedPart[] {
  const plain = parts.map(({ text }) => unifyRomanization(text));
  if (!plain.some((word) => phrases.has(word))) return parts;
  const replaced: FoldedPart[] = [];
  for (let at = 0; at < parts.length; ) {
    const found = phrases
      .get(plain[at]!)
      ?.find(({ from }) => from.every((word, place) => plain[at + place] === word) && !isKept(parts, at, name));
    if (!found) {
      replaced.push(parts[at]!);
      at += 1;
      continue;
    }
    const last = parts[at + found.from.length - 1]!;
    const letters = found.from.length > 1 ? initialsOf(found.from) : undefined;
    for (const [place, text] of found.to.entries()) {
      const part = { ...parts[at]!, text, end: last.end };
      replaced.push(letters === undefined ? part : { ...part, letters: place === 0 ? letters : '' });
    }
    at += found.from.length;
  }
  return replaced.slice(0, MAX_PARTS);
}

/**
 * `im.` after a word means "named after". `KB` is a design bureau, or a Swedish partnership if it
 * is the only legal form.
 */
function isKept(parts: readonly FoldedPart[], at: number, name: string): boolean {
  const { text, start, end } = parts[at]!;
  if (text === 'im') return at === 0;
  if (text !== 'kb' || at < parts.length - 1 || !/^[\x20-\x7f]*$/.test(name.slice(start, end))) return false;
  return findLegalForms(legalFormTexts(parts, name)).forms[0] === undefined;
}

/** Marks legal forms and numbers. */
function readMarked(parts: FoldedPart[], name: string, { withLegalForms }: { withLegalForms: boolean }): FoldedPart[] {
  const texts = legalFormTexts(parts, name);
  const { forms, isTail } = withLegalForms ? findLegalForms(texts) : { forms: [], isTail: [] };
  const read: FoldedPart[] = [];
  for (let at = 0; at < parts.length; ) {
    const legal = forms[at];
    const isLast = at === parts.length - 1 || isTail[at + 1] === true;
    const number = legal ? undefined : numberAt(texts, at, isLast);
    const length = legal?.length ?? number?.length ?? 1;
    const text = legal ? `${LEGAL_MARK}${legal.group}` : number ? `${NUMBER_MARK}${number.digits}` : parts[at]!.text;
    const isMarked = legal !== undefined || number !== undefined;
    const { vowelless, syllabic, start, letters } = parts[at]!;
    const part: FoldedPart = {
      text,
      vowelless: vowelless && !isMarked,
      syllabic: syllabic && !isMarked,
      start,
      end: parts[at + length - 1]!.end,
    };
    const written = letters ?? (legal ? parts[at]!.text.charAt(0) : undefined);
    if (written !== undefined) part.letters = written;
    const before = read.at(-1);
    // `No. 4` is 4.
    if (number && before && numberSigns.has(before.text)) read.pop();
    if (legal && before?.text.startsWith(LEGAL_MARK) && saySame(before.text, text))
      read[read.length - 1] = { ...before, text: before.text === ANY_COMPANY ? text : before.text, end: part.end };
    else read.push(part);
    at += length;
  }
  return read;
}

const ANY_COMPANY = `${LEGAL_MARK}company`;

/** Removes repetitions, as in `Co., Ltd.`, `S.A. (S.A.)` and `Company LLC`. */
function saySame(form: string, otherForm: string): boolean {
  return form === otherForm || form === ANY_COMPANY || otherForm === ANY_COMPANY;
}

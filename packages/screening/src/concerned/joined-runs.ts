// Subjects whose names are cut elsewhere than the listed ones that they are: `GEN RIKH GAS ANOV`, `CIM MEX`, `HAQQANIAbd ulQadir`.
//
// Whoever looks for such a subject would have to guess each cut and each slip, and all of them at once. From the subject's side
// it is plain: words that stand side by side are, together, a letter or less from a listed word, or from several together. Who
// is found so is held under the names that come of joining those words.
import type { ListedEntity } from '../entity.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { foldName } from '../names/fold-name.ts';
import { isLegalWord } from '../names/organisation/legal-form.ts';
import { TOKEN_LEGAL } from '../names/part-class.ts';
import { createNearTexts, MAX_LETTERS, type NearTexts } from './near-texts.ts';

/** So few letters speak neither for nor against it: initials, particles, legal forms. */
const FEW_LETTERS = 3;
/** Of the letters of the shorter one, and of its pairs of letters, as many are in the other. */
const LEAST_LETTERS = 0.6;
const LEAST_PAIRS = 0.2;

function mayBeAlike(one: string, other: string): boolean {
  if (one.length <= FEW_LETTERS || other.length <= FEW_LETTERS) return true;
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  if (shareOf(shorter, longer, 1) < LEAST_LETTERS) return false;
  return shorter[0] === longer[0] || shareOf(shorter, longer, 2) >= LEAST_PAIRS;
}

/** Of the pieces of a text that have so many letters, those that another has as well. */
function shareOf(text: string, other: string, length: number): number {
  const left = new Map<string, number>();
  for (let at = 0; at + length <= other.length; at += 1) {
    const piece = other.slice(at, at + length);
    left.set(piece, (left.get(piece) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at + length <= text.length; at += 1) {
    const piece = text.slice(at, at + length);
    const count = left.get(piece) ?? 0;
    if (count === 0) continue;
    left.set(piece, count - 1);
    shared += 1;
  }
  return shared / (text.length - length + 1);
}

/** More words are not joined: a name that is spelled out. */
const MAX_RUN = 4;
const MIN_LETTERS = 4;
/** Shorter ones are too often two words joined by chance. */
const MIN_JOINED = 6;
/** A longer word behind a legal form is mostly a name, and not the second half of one. */
const MAX_BEHIND_FORM = 8;
/** Of a name so many words are looked at. */
const MAX_WORDS = 16;
/** Names that a subject is held under for one that it has. */
const MAX_NAMES = 16;
/** Texts of listed names that are held, of which the whole OFAC list has 200,000; and uses of one that are looked at. */
const MAX_TEXTS = 300_000;
const MAX_USES = 100;

/** Places of words in a name that are taken together, in the order in which they are written together. */
type Run = readonly number[];

/** The words of listed names, and what comes of joining some that stand side by side. */
export interface ListedRuns {
  near: NearTexts;
  /** Texts up to here are words as well. */
  wordCount: number;
  /** Of each text, where it is: the words of a name, and which of them. */
  uses: readonly { words: readonly string[]; run: Run }[][];
}

export function readListedRuns(entities: Iterable<ListedEntity>): ListedRuns {
  const words = new Map<string, ListedRuns['uses'][number]>();
  const joined = new Map<string, ListedRuns['uses'][number]>();
  const seen = new Set<string>();
  for (const { names, weakNames } of entities) {
    if (words.size + joined.size > MAX_TEXTS) break;
    for (const name of [...names, ...weakNames]) {
      const texts = wordsOf(name);
      const key = texts.join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      for (const [at, text] of texts.entries()) if (text.length >= MIN_LETTERS) use(words, text, texts, [at]);
      for (const run of runsIn(texts.length)) {
        const text = textOf(run, texts);
        if (text.length >= MIN_JOINED && text.length <= MAX_LETTERS) use(joined, text, texts, run);
      }
    }
  }
  for (const [text, uses] of joined) words.get(text)?.push(...uses);
  const others = [...joined].filter(([text]) => !words.has(text));
  return {
    near: createNearTexts([...words.keys(), ...others.map(([text]) => text)]),
    wordCount: words.size,
    uses: [...words.values(), ...others.map(([, uses]) => uses)],
  };
}

function use(all: Map<string, ListedRuns['uses'][number]>, text: string, words: readonly string[], run: Run): void {
  const uses = all.get(text);
  if (uses) uses.push({ words, run });
  else all.set(text, [{ words, run }]);
}

const RUNS: Run[][] = [];

/** Of so many words, two and more that stand side by side; the last and the first do so in a name that was turned round. */
function runsIn(count: number): readonly Run[] {
  RUNS[count] ??= Array.from({ length: Math.max(0, Math.min(MAX_RUN, count) - 1) }, (_, more) => more + 2).flatMap(
    (length) =>
      Array.from({ length: length === 2 ? count : count - length + 1 }, (_, from) =>
        Array.from({ length }, (__, at) => (from + at) % count),
      ),
  );
  return RUNS[count];
}

function textOf(run: Run, texts: readonly string[]): string {
  let text = '';
  for (const at of run) text += texts[at]!;
  return text;
}

function wordsOf(name: string): string[] {
  const parts = foldName(name).slice(0, MAX_WORDS);
  return parts.some(({ vowelless }) => vowelless) ? [] : parts.map(({ text }) => text);
}

/** The places of listed texts that are near, without those that are what it is made of in the same way. */
function nearTo(text: string, isOneWord: boolean, areListed: boolean, { near, wordCount, uses }: ListedRuns): number[] {
  const found = near.find(text);
  if (isOneWord) return text.length < MIN_JOINED ? [] : found.filter((place) => uses[place]!.some(isSeveral));
  return areListed ? found.filter((place) => place < wordCount) : found;
}

const isSeveral = ({ run }: { run: Run }) => run.length > 1;

/** Asks quickly whether a name of an index of subjects may be cut elsewhere than a listed one; yes is said too often. */
export function createRunScan({ sections, tokenCount }: ScreeningIndex, listed: ListedRuns): (name: number) => boolean {
  const { near } = listed;
  const { nameTokens, nameTokenOffsets, tokenFlags, tokenText, tokenTextOffsets } = sections;
  const letters = new Uint8Array(MAX_LETTERS);
  /** What was found out about each token, once it was asked. */
  const known = new Uint8Array(tokenCount);

  function append(token: number, length: number): number {
    const from = tokenTextOffsets[token]!;
    const end = Math.min(tokenTextOffsets[token + 1]!, from + MAX_LETTERS - length);
    for (let at = from; at < end; at += 1) letters[length + at - from] = tokenText[at]!;
    return length + end - from;
  }

  const written = (length: number) => String.fromCharCode(...letters.subarray(0, length));

  function knownOf(token: number): number {
    if (known[token] !== 0) return known[token]!;
    known[token] = KNOWN;
    const length = append(token, 0);
    if (!near.mayHave(letters, length)) return KNOWN;
    const text = written(length);
    if (isWord(text, listed)) known[token]! |= IS_LISTED;
    if (nearTo(text, true, false, listed).length > 0) known[token]! |= IS_JOINED;
    return known[token]!;
  }

  /** The first half of a word may be read as a legal form, `CA ARL`, of which an index no longer has the letters. */
  function mayHideWord(from: number, count: number): boolean {
    for (let at = 0; at < count; at += 1) {
      if ((tokenFlags[nameTokens[from + at]!]! & TOKEN_LEGAL) === 0) continue;
      if (count === 2) return true;
      const next = at + 1 < count ? nameTokens[from + at + 1]! : undefined;
      if (next === undefined || (tokenFlags[next]! & TOKEN_LEGAL) !== 0) continue;
      if (tokenTextOffsets[next + 1]! - tokenTextOffsets[next]! <= MAX_BEHIND_FORM) return true;
    }
    return false;
  }

  return (name) => {
    const from = nameTokenOffsets[name]!;
    const count = Math.min(MAX_WORDS, nameTokenOffsets[name + 1]! - from);
    for (let at = 0; at < count; at += 1) if ((knownOf(nameTokens[from + at]!) & IS_JOINED) !== 0) return true;
    if (count < 2) return false;
    if (mayHideWord(from, count)) return true;
    for (let first = 0; first < count; first += 1) {
      let length = append(nameTokens[from + first]!, 0);
      let areListed = (known[nameTokens[from + first]!]! & IS_LISTED) !== 0;
      for (let more = 1; more < MAX_RUN; more += 1) {
        const at = first + more;
        // Where a name was turned round, the last and the first stood side by side.
        if (at >= count && more > 1) break;
        const token = nameTokens[from + (at % count)]!;
        length = append(token, length);
        areListed &&= (known[token]! & IS_LISTED) !== 0;
        if (length < MIN_LETTERS || !near.mayHave(letters, length)) continue;
        if (nearTo(written(length), false, areListed, listed).length > 0) return true;
      }
    }
    return false;
  };
}

const KNOWN = 1;
const IS_LISTED = 2;
const IS_JOINED = 4;

export interface JoinedName {
  /** The names that come of joining words, none where nothing speaks for it. */
  names: string[];
  /** Whether some of it is several listed words, so that it must be cut besides. */
  isGlued: boolean;
}

/** Joins what is listed as one word where the rest of the listed name may be the rest of this one. */
export function joinRuns(name: string, listed: ListedRuns): JoinedName {
  const texts = wordsOf(name);
  const areWords = texts.map((text) => isWord(text, listed));
  /** Of each listed name what can be joined as there, and what is listed so often that any name may have it. */
  const ofNames = new Map<readonly string[], Run[]>();
  const ofAny: Run[] = [];
  let isGlued = false;
  for (const run of [...texts.keys().map((at) => [at]), ...runsIn(texts.length)]) {
    const text = textOf(run, texts);
    if (text.length < MIN_LETTERS) continue;
    const isOneWord = run.length === 1;
    const places = nearTo(
      text,
      isOneWord,
      run.every((at) => areWords[at]),
      listed,
    );
    let rest: string | undefined;
    for (const place of places) {
      const uses = listed.uses[place]!;
      const isFrequent = uses.length > MAX_USES;
      if (isFrequent && !isOneWord) ofAny.push(run);
      if (isFrequent) isGlued ||= place >= listed.wordCount;
      for (const use of isFrequent ? [] : uses) {
        rest ??= restOf(texts, run);
        if ((isOneWord && !isSeveral(use)) || !mayBeAlike(rest, restOf(use.words, use.run))) continue;
        isGlued ||= isSeveral(use);
        if (!isOneWord) ofNames.set(use.words, [...(ofNames.get(use.words) ?? []), run]);
      }
    }
  }
  if (ofAny.length > 0) ofNames.set([], []);
  const names = new Set<string>();
  for (const runs of ofNames.values()) {
    if (names.size >= MAX_NAMES) break;
    const all = [...new Set([...runs, ...ofAny])];
    names.add(writeJoined(texts, disjoint(all)));
    names.add(writeJoined(texts, disjoint(all.toReversed())));
  }
  return { names: [...names], isGlued };
}

function isWord(text: string, { near, wordCount }: ListedRuns): boolean {
  return near.find(text).some((place) => place < wordCount);
}

function restOf(words: readonly string[], run: Run): string {
  return words.filter((word, at) => !run.includes(at) && !isLegalWord(word)).join('');
}

function writeJoined(texts: readonly string[], runs: readonly Run[]): string {
  const taken = new Set(runs.flat());
  const others = texts.map((text, at) => {
    const run = runs.find(([first]) => first === at);
    return run ? textOf(run, texts) : taken.has(at) ? '' : text;
  });
  return others.filter((text) => text !== '').join(' ');
}

/** The first ones in which no word is twice. */
function disjoint(runs: readonly Run[]): Run[] {
  const taken = new Set<number>();
  return runs.filter((run) => {
    if (run.some((at) => taken.has(at))) return false;
    for (const at of run) taken.add(at);
    return true;
  });
}

// Subjects whose names are split differently from the listed names: `GEN RIKH GAS ANOV`, `CIM MEX`,
// `HAQQANIAbd ulQadir`.
//
// From a listed name, every split and every typo would have to be guessed at once. From a subject's
// name it is simple: adjacent words, when joined, differ by at most one letter from one or more
// joined listed words. Such subjects are indexed under the names that result from joining.
import type { ListedEntity } from '../entity.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { foldName } from '../names/fold-name.ts';
import { isLegalWord } from '../names/organisation/legal-form.ts';
import { TOKEN_LEGAL } from '../names/part-class.ts';
import { createNearTexts, MAX_LETTERS, type NearTexts } from './near-texts.ts';

/** Parts with this few letters are neutral: initials, particles, legal forms. */
const FEW_LETTERS = 3;
/** Minimum share of common letters, and of letter pairs, relative to the shorter word. */
const LEAST_LETTERS = 0.6;
const LEAST_PAIRS = 0.2;

function mayBeAlike(left: string, right: string): boolean {
  if (left.length <= FEW_LETTERS || right.length <= FEW_LETTERS) return true;
  const [shorter, longer] = left.length <= right.length ? [left, right] : [right, left];
  if (sharedPart(shorter, longer, 1) < LEAST_LETTERS) return false;
  return shorter[0] === longer[0] || sharedPart(shorter, longer, 2) >= LEAST_PAIRS;
}

/** Returns the share of substrings of this length that both texts have in common. */
function sharedPart(text: string, other: string, length: number): number {
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

/** Maximum number of joined words. Longer runs are spelled-out names. */
const MAX_RUN = 4;
const MIN_LETTERS = 4;
/** Minimum length of a joined word. Shorter ones are too often joined by chance. */
const MIN_JOINED = 6;
/** Maximum length of a word following a legal form. Longer ones are mostly names. */
const MAX_BEHIND_FORM = 8;
/** Maximum number of words considered in one name. */
const MAX_WORDS = 16;
/** Maximum number of names indexed for one name of a subject. */
const MAX_NAMES = 16;
/** Maximum number of listed texts (OFAC has 200,000), and of uses considered per text. */
const MAX_TEXTS = 300_000;
const MAX_USES = 100;

/** Positions of words in a name, in the order in which they are joined. */
type Run = readonly number[];

/** Words of listed names, and the results of joining adjacent ones. */
export interface ListedRuns {
  near: NearTexts;
  /** Texts below this index are also words. */
  wordCount: number;
  /** Uses per text: the words of the name, and the joined positions. */
  uses: readonly { words: readonly string[]; run: Run }[][];
}

export function readListedRuns(entities: Iterable<ListedEntity>): ListedRuns {
  const words = new Map<string, ListedRuns['uses'][number]>();
  const joined = new Map<string, ListedRuns['uses'][number]>();
  const seen = new Set<string>();
  for (const { names, weakNames } of entities) {
    if (words.size + joined.size > MAX_TEXTS) break;
    for (const name of [...names, ...weakNames]) {
      const texts = splitWords(name);
      const key = texts.join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      for (const [at, text] of texts.entries()) if (text.length >= MIN_LETTERS) recordUse(words, text, texts, [at]);
      for (const run of adjacentRuns(texts.length)) {
        const text = joinRun(run, texts);
        if (text.length >= MIN_JOINED && text.length <= MAX_LETTERS) recordUse(joined, text, texts, run);
      }
    }
  }
  for (const [text, uses] of joined) words.get(text)?.push(...uses);
  const joinedTexts = [...joined].filter(([text]) => !words.has(text));
  return {
    near: createNearTexts([...words.keys(), ...joinedTexts.map(([text]) => text)]),
    wordCount: words.size,
    uses: [...words.values(), ...joinedTexts.map(([, uses]) => uses)],
  };
}

function recordUse(
  all: Map<string, ListedRuns['uses'][number]>,
  text: string,
  words: readonly string[],
  run: Run,
): void {
  const uses = all.get(text);
  if (uses) uses.push({ words, run });
  else all.set(text, [{ words, run }]);
}

const RUNS: Run[][] = [];

/** Returns runs of two or more adjacent words, with last and first adjacent. */
function adjacentRuns(count: number): readonly Run[] {
  RUNS[count] ??= Array.from({ length: Math.max(0, Math.min(MAX_RUN, count) - 1) }, (_, more) => more + 2).flatMap(
    (length) =>
      Array.from({ length: length === 2 ? count : count - length + 1 }, (_, from) =>
        Array.from({ length }, (__, at) => (from + at) % count),
      ),
  );
  return RUNS[count];
}

function joinRun(run: Run, texts: readonly string[]): string {
  let text = '';
  for (const at of run) text += texts[at]!;
  return text;
}

function splitWords(name: string): string[] {
  const parts = foldName(name).slice(0, MAX_WORDS);
  return parts.some(({ vowelless }) => vowelless) ? [] : parts.map(({ text }) => text);
}

/** Returns the listed texts near `text`, except those that consist of the same words. */
function findNearby(
  text: string,
  isOneWord: boolean,
  areListed: boolean,
  { near, wordCount, uses }: ListedRuns,
): number[] {
  const found = near.find(text);
  if (isOneWord) return text.length < MIN_JOINED ? [] : found.filter((place) => uses[place]!.some(isSeveral));
  return areListed ? found.filter((place) => place < wordCount) : found;
}

const isSeveral = ({ run }: { run: Run }) => run.length > 1;

/** Quickly tests whether a name may be split differently. May return false positives. */
export function createRunScan({ sections, tokenCount }: ScreeningIndex, listed: ListedRuns): (name: number) => boolean {
  const { near } = listed;
  const { nameTokens, nameTokenOffsets, tokenFlags, tokenText, tokenTextOffsets } = sections;
  const letters = new Uint8Array(MAX_LETTERS);
  /** Result per token, computed on first use. */
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
    if (findNearby(text, true, false, listed).length > 0) known[token]! |= IS_JOINED;
    return known[token]!;
  }

  /** The first half may have been read as a legal form (`CA ARL`), whose letters are lost. */
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
        // In a reversed name, the last and the first word were adjacent.
        if (at >= count && more > 1) break;
        const token = nameTokens[from + (at % count)]!;
        length = append(token, length);
        areListed &&= (known[token]! & IS_LISTED) !== 0;
        if (length < MIN_LETTERS || !near.mayHave(letters, length)) continue;
        if (findNearby(written(length), false, areListed, listed).length > 0) return true;
      }
    }
    return false;
  };
}

const KNOWN = 1;
const IS_LISTED = 2;
const IS_JOINED = 4;

export interface JoinedName {
  /** Names that result from joining. Empty if nothing supports joining. */
  names: string[];
  /** Whether a joined word consists of several listed words and must also be split. */
  isGlued: boolean;
}

/** Joins words that are listed as one, if the rest of the listed name may match. */
export function joinRuns(name: string, listed: ListedRuns): JoinedName {
  const texts = splitWords(name);
  const areWords = texts.map((text) => isWord(text, listed));
  /** Runs per listed name, and runs that are too frequent to be tied to one name. */
  const ofNames = new Map<readonly string[], Run[]>();
  const ofAny: Run[] = [];
  let isGlued = false;
  for (const run of [...texts.keys().map((at) => [at]), ...adjacentRuns(texts.length)]) {
    const text = joinRun(run, texts);
    if (text.length < MIN_LETTERS) continue;
    const isOneWord = run.length === 1;
    const places = findNearby(
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
        rest ??= joinRest(texts, run);
        if ((isOneWord && !isSeveral(use)) || !mayBeAlike(rest, joinRest(use.words, use.run))) continue;
        isGlued ||= isSeveral(use);
        if (!isOneWord) ofNames.set(use.words, [...(ofNames.get(use.words) ?? []), run]);
      }
    }
  }
  if (ofAny.length > 0) ofNames.set([], []);
  const names = new Set<string>();
  for (const runs of ofNames.values()) {
    if (names.size >= MAX_NAMES) break;
    const allRuns = [...new Set([...runs, ...ofAny])];
    names.add(writeJoined(texts, keepDisjoint(allRuns)));
    names.add(writeJoined(texts, keepDisjoint(allRuns.toReversed())));
  }
  return { names: [...names], isGlued };
}

function isWord(text: string, { near, wordCount }: ListedRuns): boolean {
  return near.find(text).some((place) => place < wordCount);
}

function joinRest(words: readonly string[], run: Run): string {
  return words.filter((word, at) => !run.includes(at) && !isLegalWord(word)).join('');
}

function writeJoined(texts: readonly string[], runs: readonly Run[]): string {
  const taken = new Set(runs.flat());
  const unusedTexts = texts.map((text, at) => {
    const run = runs.find(([first]) => first === at);
    return run ? joinRun(run, texts) : taken.has(at) ? '' : text;
  });
  return unusedTexts.filter((text) => text !== '').join(' ');
}

/** Returns the first runs that share no word. */
function keepDisjoint(runs: readonly Run[]): Run[] {
  const taken = new Set<number>();
  return runs.filter((run) => {
    if (run.some((at) => taken.has(at))) return false;
    for (const at of run) taken.add(at);
    return true;
  });
}

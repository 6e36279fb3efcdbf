// Finds adjacent words of a listed name that form a word written as one: `SEASTAR` is Sea Star.
import { NAME_ENTITY_SHIFT } from '../index/entity-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON } from '../kind.ts';
import { NUMBER_MARK } from '../names/organisation/marks.ts';
import type { ListedTokens } from './listed-tokens.ts';
import { cacheByText } from './remember.ts';

/** Maximum number of names to open. With more, both halves are assumed to be adjacent. */
const MAX_OPENED = 500;
const MIN_WORD = 4;
/** Minimum length of the word after a frequent first word. */
const MIN_BEHIND = 3;
/** Minimum length for trying every two positions. */
const LONG_WORD = 12;
/** `3M` is Three M. */
const NUMBERED = /^\d+[a-z]$/;
const MARK = NUMBER_MARK.charCodeAt(0);

/** Only names of organizations, ships and aircraft count, because their words have an order. */
export function createNeighborFinder(
  { sections }: ScreeningIndex,
  tokens: ListedTokens,
): (word: string) => readonly string[][] {
  const { nameTokens, nameTokenOffsets, nameFlags, postings, postingOffsets, tokenText, tokenTextOffsets } = sections;

  const countOf = (token: number) => postingOffsets[token + 1]! - postingOffsets[token]!;

  function tokenFor(text: string): number | undefined {
    return tokens.find(/^\d+$/.test(text) ? NUMBER_MARK + text : text);
  }

  /** Returns the number of letters that a token covers: its whole length, or 0. */
  function lettersTaken(word: string, from: number, token: number): number {
    let at = tokenTextOffsets[token]!;
    const end = tokenTextOffsets[token + 1]!;
    if (tokenText[at] === MARK) at += 1;
    const length = end - at;
    if (from + length > word.length) return 0;
    for (let letter = 0; letter < length; letter += 1)
      if (word.charCodeAt(from + letter) !== tokenText[at + letter]) return 0;
    return length;
  }

  /** Returns the positions at which a name's words form the word. Empty if they do not. */
  function cutsIn(name: number, word: string): number[] {
    const to = nameTokenOffsets[name + 1]!;
    for (let first = nameTokenOffsets[name]!; first < to - 1; first += 1) {
      const cuts: number[] = [];
      let done = lettersTaken(word, 0, nameTokens[first]!);
      for (let at = first + 1; at < to && done > 0 && done < word.length; at += 1) {
        const taken = lettersTaken(word, done, nameTokens[at]!);
        if (taken === 0) break;
        cuts.push(done);
        done += taken;
      }
      if (done === word.length) return cuts;
    }
    return [];
  }

  function cutsAmong(token: number, word: string): number[] {
    for (let at = postingOffsets[token]!; at < postingOffsets[token + 1]!; at += 1) {
      const name = postings[at]!;
      if (((nameFlags[name]! >>> NAME_ENTITY_SHIFT) & KIND_PERSON) !== 0) continue;
      const cuts = cutsIn(name, word);
      if (cuts.length > 0) return cuts;
    }
    return [];
  }

  /** If many names start alike (`Al Anchor Ship …`), the following word may be rare. */
  function cutsBehind(from: number, word: string): number[] {
    if (word.length < LONG_WORD) return [];
    for (let end = from + MIN_BEHIND; end <= word.length; end += 1) {
      const second = tokenFor(word.slice(from, end));
      if (second === undefined || countOf(second) > MAX_OPENED) continue;
      const cuts = cutsAmong(second, word);
      if (cuts.length > 0) return cuts;
    }
    return [];
  }

  function findNeighbors(word: string): string[][] {
    const found = new Map<string, string[]>();
    for (let cut = 1; cut < word.length; cut += 1) {
      const left = tokenFor(word.slice(0, cut));
      if (left === undefined) continue;
      const right = tokenFor(word.slice(cut));
      const rarer = right !== undefined && countOf(right) < countOf(left) ? right : left;
      const isRare = countOf(rarer) <= MAX_OPENED;
      const cuts = isRare ? cutsAmong(rarer, word) : right === undefined ? cutsBehind(cut, word) : [cut];
      if (cuts.length === 0) continue;
      found.set(
        cuts.join(' '),
        [0, ...cuts].map((from, at) => word.slice(from, cuts[at] ?? word.length)),
      );
    }
    return [...found.values()].map((words) => words.map((text) => (/^\d+$/.test(text) ? NUMBER_MARK + text : text)));
  }

  const find = cacheByText(findNeighbors);
  return (word) => (word.length < MIN_WORD && !NUMBERED.test(word) ? [] : find(word));
}

// Splits words into words that a list knows: `Sergeivarlamov`, `Abdulrahman`,
// `IvanPetrovichSidorenko`.
import { classifyPart, isCommonName, TOKEN_PARTICLE } from '../names/part-class.ts';
import type { ListedTokens } from './listed-tokens.ts';
import { cacheByText } from './remember.ts';

const MIN_HALF = 2;
const MIN_HALF_OF_LISTED = 3;
const LONG_HALF = 4;

/** Limits of a whole name in one word: number and length of its pieces. */
const MIN_PIECES = 3;
const MAX_PIECES = 5;
const MIN_PIECE = 3;
const MAX_PIECE = 16;

/** Returns the listed pieces of a word. Empty unless it is a whole name written as one word. */
export function createPieceFinder(tokens: ListedTokens): (word: string) => readonly string[] {
  function findPieces(word: string): string[] {
    if (tokens.isListed(word)) return [];
    /** Minimum number of pieces up to each position, and start of the last piece. */
    const fewest = new Uint8Array(word.length + 1).fill(MAX_PIECES + 1);
    const begins = new Uint8Array(word.length + 1);
    fewest[0] = 0;
    for (let end = MIN_PIECE; end <= word.length; end += 1) {
      for (let from = Math.max(0, end - MAX_PIECE); from <= end - MIN_PIECE; from += 1) {
        if (fewest[from]! + 1 >= fewest[end]! || !tokens.isListed(word.slice(from, end))) continue;
        fewest[end] = fewest[from]! + 1;
        begins[end] = from;
      }
    }
    const count = fewest[word.length]!;
    if (count < MIN_PIECES || count > MAX_PIECES) return [];
    const pieces: string[] = [];
    for (let end = word.length; end > 0; end = begins[end]!) pieces.unshift(word.slice(begins[end], end));
    return pieces;
  }

  const find = cacheByText(findPieces);
  return (word) => (word.length < MIN_PIECES * MIN_PIECE ? [] : find(word));
}

/** Abdelkader is Abd al-Qadir: the rest has as many spellings as the word itself. */
const SERVANT = /^abd[aeiou]{1,2}(?:l|r(?=r)|s(?=s)|n(?=n)|z(?=z))/;

/** Two short halves are no name: Star is not `st ar`. */
function isParticle(text: string): boolean {
  return (classifyPart(text, false) & TOKEN_PARTICLE) !== 0;
}

export function createCutFinder(tokens: ListedTokens): (word: string) => readonly number[] {
  /**
   * In a long list nearly every syllable is a name. A short half must therefore be a particle or a
   * well-known name, and a listed word is only split into two common names.
   */
  function findCuts(word: string): number[] {
    const cuts: number[] = [];
    const listed = tokens.isListed(word);
    const servant = listed ? 0 : (SERVANT.exec(word)?.[0].length ?? 0);
    if (servant > 0 && word.length - servant > MIN_HALF && tokens.isSounded(word.slice(servant))) cuts.push(servant);
    const shortest = listed ? MIN_HALF_OF_LISTED : MIN_HALF;
    for (let cut = shortest; cut <= word.length - shortest; cut += 1) {
      const [left, right] = [word.slice(0, cut), word.slice(cut)];
      const isCut = listed
        ? isCommonName(left) && isCommonName(right)
        : isHalf(left) && isHalf(right) && !(isParticle(left) && isParticle(right));
      if (isCut && cut !== cuts[0]) cuts.push(cut);
    }
    return cuts;
  }

  function isHalf(text: string): boolean {
    if (text.length >= LONG_HALF || isCommonName(text)) return tokens.isListed(text);
    // Benali is bin Ali: the list may have another particle, or none.
    if (isParticle(text)) return true;
    return text.length > MIN_HALF && tokens.isListed(text, true);
  }

  return cacheByText(findCuts);
}

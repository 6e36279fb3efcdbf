// Where a word can be cut into words that a list knows: `Sergeivarlamov`, `Abdulrahman`, `IvanPetrovichSidorenko`.
import { classifyPart, isCommonName, TOKEN_PARTICLE } from '../names/part-class.ts';
import type { ListedTokens } from './listed-tokens.ts';
import { remember } from './remember.ts';

const MIN_HALF = 2;
const MIN_HALF_OF_LISTED = 3;
const LONG_HALF = 4;

/** A whole name in one word has at least three pieces of three letters, and a name has not many more. */
const MIN_PIECES = 3;
const MAX_PIECES = 5;
const MIN_PIECE = 3;
const MAX_PIECE = 16;

/** The pieces that a word is made of, all of them listed; none where it is not a whole name written as one word. */
export function createPieceFinder(tokens: ListedTokens): (word: string) => readonly string[] {
  function findPieces(word: string): string[] {
    if (tokens.isListed(word)) return [];
    /** The fewest pieces that the word can be cut into up to each place, and where the last of them begins. */
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

  const find = remember(findPieces);
  return (word) => (word.length < MIN_PIECES * MIN_PIECE ? [] : find(word));
}

/** Abdelkader is Abd al-Qadir: what comes behind is spelled in as many ways as this is. */
const SERVANT = /^abd[aeiou]{1,2}(?:l|r(?=r)|s(?=s)|n(?=n)|z(?=z))/;

/** Two of them are no name: Star is not `st ar`. */
function isParticle(text: string): boolean {
  return (classifyPart(text, false) & TOKEN_PARTICLE) !== 0;
}

export function createCutFinder(tokens: ListedTokens): (word: string) => readonly number[] {
  /**
   * In a long list nearly every syllable is somebody's name: a short half must be a particle or a well-known name, and a
   * word that is listed itself is only cut into two common names.
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
    // Benali is bin Ali: a particle may be another one in the list, or left out.
    if (isParticle(text)) return true;
    return text.length > MIN_HALF && tokens.isListed(text, true);
  }

  return remember(findCuts);
}

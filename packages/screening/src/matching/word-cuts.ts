// Where a word can be cut into two that a list knows: `Sergeivarlamov`, `Abdulrahman`.
import { classifyPart, isCommonName, TOKEN_PARTICLE } from '../names/part-class.ts';
import { remember } from './remember.ts';

/** Whether the list has a part in any spelling; `wellKnown` asks for one that several entities have. */
type IsListed = (text: string, wellKnown?: boolean) => boolean;

const MIN_HALF = 2;
const MIN_HALF_OF_LISTED = 3;
const LONG_HALF = 4;

export function createCutFinder(isListed: IsListed): (word: string) => readonly number[] {
  /**
   * In a long list nearly every syllable is somebody's name: a short half must be a particle or a well-known name, and a
   * word that is listed itself is only cut into two common names.
   */
  function findCuts(word: string): number[] {
    const cuts: number[] = [];
    const listed = isListed(word);
    const shortest = listed ? MIN_HALF_OF_LISTED : MIN_HALF;
    for (let cut = shortest; cut <= word.length - shortest; cut += 1) {
      const [left, right] = [word.slice(0, cut), word.slice(cut)];
      const isCut = listed ? isCommonName(left) && isCommonName(right) : isHalf(left) && isHalf(right);
      if (isCut) cuts.push(cut);
    }
    return cuts;
  }

  function isHalf(text: string): boolean {
    if (text.length >= LONG_HALF || isCommonName(text)) return isListed(text);
    if ((classifyPart(text, false) & TOKEN_PARTICLE) !== 0) return isListed(text);
    return text.length > MIN_HALF && isListed(text, true);
  }

  return remember(findCuts);
}

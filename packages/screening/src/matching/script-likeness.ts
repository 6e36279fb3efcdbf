// How alike two words are of which at least one is in a script that leaves out vowels.
import { readsAs, scriptSkeletons } from '../names/script-reading.ts';
import { consonantSkeleton } from '../names/spelling.ts';
import { SIMILARITY } from './likeness.ts';

interface ScriptWord {
  text: string;
  vowelless: boolean;
}

/** Fewer consonants are in too many words. */
const MANY_CONSONANTS = 3;

/**
 * The consonants must all be there, or it is 0. Where only one of the words has vowels, those that the other one does write must be
 * there as well, or the two are less alike.
 */
export function scriptSimilarity(one: ScriptWord, other: ScriptWord): number {
  if (one.vowelless && other.vowelless) {
    const skeleton = consonantSkeleton(one.text);
    if (consonantSkeleton(other.text) !== skeleton) return 0;
    return skeleton.length < MANY_CONSONANTS ? SIMILARITY.fewConsonants : SIMILARITY.otherScript;
  }
  const [script, latin] = one.vowelless ? [one.text, other.text] : [other.text, one.text];
  const skeleton = consonantSkeleton(latin);
  if (!scriptSkeletons(script).includes(skeleton)) return 0;
  if (readsAs(script, latin)) return SIMILARITY.read;
  return skeleton.length < MANY_CONSONANTS ? SIMILARITY.fewConsonantsAlone : SIMILARITY.consonantsAlone;
}

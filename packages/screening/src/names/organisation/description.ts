// What an organisation is, said before its name: `State Space Corporation Roscosmos`, `Concern VKO Almaz-Antey`, `NPO Tekhmash`.
import { TOKEN_ACRONYM, TOKEN_LEGAL, TOKEN_PARTICLE } from '../part-class.ts';
import { canonicalSpelling } from '../spelling.ts';
import { HEADS, SHORT_HEADS } from '../tables/organisation-heads.ts';
import { isNaming } from './part-weight.ts';
import { organisationFormsOf } from './word-forms.ts';

/** A word of a name, and whether the other name has it as well. */
export interface ComparedWord {
  text: string;
  flags: number;
  isMatched: boolean;
}

/** Longer ones are names, not what a description has in short. */
const MAX_SHORT = 4;
/** Shorter names are in too many others. */
const MIN_NAME = 5;

const shortHeads = new Set(SHORT_HEADS);
let heads: Set<string> | undefined;

/** By their canonical spelling. */
function isHead(word: ComparedWord): boolean {
  if ((word.flags & TOKEN_LEGAL) !== 0 || shortHeads.has(word.text)) return true;
  heads ??= new Set(
    HEADS.map(canonicalSpelling).flatMap((head) => [head, ...organisationFormsOf(head).map((form) => form.canonical)]),
  );
  return heads.has(canonicalSpelling(word.text));
}

/**
 * Whether all that only this name has describes the one whose name follows. A word behind a name says the opposite: Kamaz Leasing
 * is not Kamaz.
 */
export function isDescribed(words: readonly ComparedWord[]): boolean {
  const counted = words.filter(({ flags }) => (flags & TOKEN_PARTICLE) === 0);
  const first = counted.findIndex(
    ({ flags, isMatched }) => isMatched && (isNaming(flags) || (flags & TOKEN_ACRONYM) !== 0),
  );
  if (first < 0) return false;
  const name = counted.slice(first);
  if (!name.some(({ text, flags, isMatched }) => isMatched && isNaming(flags) && text.length >= MIN_NAME)) return false;
  if (name.some((word) => !word.isMatched && (word.flags & TOKEN_LEGAL) === 0 && !shortHeads.has(word.text)))
    return false;
  const before = counted.slice(0, first);
  const last = before.at(-1);
  if (last === undefined) return name.some(({ text, isMatched }) => !isMatched && shortHeads.has(text));
  if (isHead(last)) return true;
  const abbreviated = before.at(-2);
  return last.text.length <= MAX_SHORT && abbreviated !== undefined && isHead(abbreviated);
}

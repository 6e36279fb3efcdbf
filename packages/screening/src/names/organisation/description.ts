// What an organisation is, said before its name: `State Space Corporation Roscosmos`, `Concern VKO Almaz-Antey`, `NPO Tekhmash`.
import { TOKEN_NUMBER, TOKEN_PARTICLE } from '../part-class.ts';
import { canonicalSpelling } from '../spelling.ts';
import { HEADS, SHORT_HEADS } from '../tables/organisation-heads.ts';
import { words } from '../tables/words.ts';
import { LEGAL_MARK } from './marks.ts';
import { isNaming, isOrganisationCore } from './part-weight.ts';
import { organisationFormsOf } from './word-forms.ts';

/** A word of a name, and whether the other name has it as well. */
export interface ComparedWord {
  text: string;
  flags: number;
  isMatched: boolean;
}

/** Longer ones are names, not what a description has in short. */
const MAX_SHORT = 3;
/** Shorter names are in too many others. */
const MIN_NAME = 5;
/** Behind these stands whose it is, not what it is called: the Regional Centre of Almaz-Antey. */
const OF = new Set(words('of for de du des del della di da do dos von'));
/** A corporation or a company; other legal forms stand before any name. */
const ANY_COMPANY = `${LEGAL_MARK}company`;

const shortHeads = new Set(SHORT_HEADS);
let heads: Set<string> | undefined;

function isHead(text: string): boolean {
  heads ??= new Set(
    HEADS.map(canonicalSpelling).flatMap((head) => [head, ...organisationFormsOf(head).map((form) => form.canonical)]),
  );
  return shortHeads.has(text) || heads.has(canonicalSpelling(text));
}

/**
 * Whether all that only this name has describes the one whose name follows. A word behind a name says the opposite: Kamaz Leasing
 * is not Kamaz.
 */
export function isDescribed(name: readonly ComparedWord[]): boolean {
  const first = name.findIndex(
    ({ flags, isMatched }) => isMatched && (isNaming(flags) || (flags & TOKEN_NUMBER) !== 0),
  );
  if (first < 0) return false;
  const [before, behind] = [name.slice(0, first), name.slice(first)];
  const isLong = behind.some(({ text, flags, isMatched }) => isMatched && isNaming(flags) && text.length >= MIN_NAME);
  const further = behind.filter(({ flags, isMatched }) => !isMatched && isOrganisationCore(flags));
  if (!isLong || further.some(({ text }) => !shortHeads.has(text)) || OF.has(before.at(-1)?.text ?? '')) return false;
  const [last, abbreviated] = before.filter(({ flags }) => (flags & TOKEN_PARTICLE) === 0).toReversed();
  if (last === undefined) return further.length > 0;
  if (last.text === ANY_COMPANY || isHead(last.text)) return true;
  return last.text.length <= MAX_SHORT && abbreviated !== undefined && isHead(abbreviated.text);
}

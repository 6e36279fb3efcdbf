// Descriptions before an organization's name: `State Space Corporation Roscosmos`, `Concern VKO
// Almaz-Antey`, `NPO Tekhmash`.
import { TOKEN_NUMBER, TOKEN_PARTICLE } from '../part-class.ts';
import { canonicalSpelling } from '../spelling.ts';
import { HEADS, SHORT_HEADS } from '../tables/organisation-heads.ts';
import { words } from '../tables/words.ts';
import { LEGAL_MARK } from './marks.ts';
import { isNaming, isOrganizationCore } from './part-weight.ts';
import { findOrganizationForms } from './word-forms.ts';

/** A word of a name, and whether the other name also has it. */
export interface ComparedWord {
  text: string;
  flags: number;
  isMatched: boolean;
}

/** Maximum length of an abbreviation in a description. Longer ones are names. */
const MAX_SHORT = 3;
/** Minimum length. Shorter names are part of too many others. */
const MIN_NAME = 5;
/** Words followed by an owner instead of a name: the Regional Center of Almaz-Antey. */
const OF = new Set(words('of for de du des del della di da do dos von'));
/** A corporation or a company. Other legal forms may precede any name. */
const ANY_COMPANY = `${LEGAL_MARK}company`;

const shortHeads = new Set(SHORT_HEADS);
let heads: Set<string> | undefined;

function isHead(text: string): boolean {
  heads ??= new Set(
    HEADS.map(canonicalSpelling).flatMap((head) => [
      head,
      ...findOrganizationForms(head).map((form) => form.canonical),
    ]),
  );
  return shortHeads.has(text) || heads.has(canonicalSpelling(text));
}

/**
 * Returns whether the words of only this name describe the name that follows. Words after a name
 * have the opposite effect: Kamaz Leasing is not Kamaz.
 */
export function isDescribed(name: readonly ComparedWord[]): boolean {
  const first = name.findIndex(
    ({ flags, isMatched }) => isMatched && (isNaming(flags) || (flags & TOKEN_NUMBER) !== 0),
  );
  if (first < 0) return false;
  const [before, behind] = [name.slice(0, first), name.slice(first)];
  const isLong = behind.some(({ text, flags, isMatched }) => isMatched && isNaming(flags) && text.length >= MIN_NAME);
  const further = behind.filter(({ flags, isMatched }) => !isMatched && isOrganizationCore(flags));
  if (!isLong || further.some(({ text }) => !shortHeads.has(text)) || OF.has(before.at(-1)?.text ?? '')) return false;
  const [last, abbreviated] = before.filter(({ flags }) => (flags & TOKEN_PARTICLE) === 0).toReversed();
  if (last === undefined) return further.length > 0;
  if (last.text === ANY_COMPANY || isHead(last.text)) return true;
  return last.text.length <= MAX_SHORT && abbreviated !== undefined && isHead(abbreviated.text);
}

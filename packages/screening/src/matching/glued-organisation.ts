// Names of organizations written as one word, including legal forms: `ORVELIASHIPMANAGEMENTLLC`,
// `PJSCORVELPROM`.
import { foldOrganization } from '../names/organisation/fold-organisation.ts';
import { isMarked, LEGAL_MARK } from '../names/organisation/marks.ts';
import { GLUED_FORMS } from '../names/tables/legal-forms.ts';
import type { PartLookup } from './part-lookup.ts';
import type { QueryPart } from './query.ts';

/** Minimum length. Shorter words are a name and one form, which legal-form.ts handles. */
const MIN_GLUED = 9;
const MIN_NAME = 5;
/** `PJSC … COMPANY LIMITED` has three. */
const MOST_FORMS = 3;
/** Maximum number of variants, each of which is looked up. */
const MOST_STRIPPED = 8;

interface StrippedName {
  name: string;
  before: string[];
  behind: string[];
  /** Whether two leading letters were taken as a form. Too many words start with them. */
  isUnsure: boolean;
}

let forms: Map<string, string> | undefined;

/** Maps the letters of each form to the form, longest first. */
function gluedForms(): Map<string, string> {
  forms ??= new Map(
    GLUED_FORMS.trim()
      .split(/\s*,\s*/)
      .toSorted((a, b) => b.length - a.length)
      .flatMap((phrase) => {
        const read = foldOrganization(`orvelia ${phrase}`);
        const text = read.at(-1)!.text;
        return read.length === 2 && text.startsWith(LEGAL_MARK) ? [[phrase.replaceAll(' ', ''), text] as const] : [];
      }),
  );
  return forms;
}

/** Returns variants whose remaining words all occur, in order, in a listed name. */
export function gluedNames(part: QueryPart, lookup: PartLookup): QueryPart[][] {
  if (part.vowelless || isMarked(part.text) || part.text.length < MIN_GLUED) return [];
  const found: QueryPart[][] = [];
  for (const { name, before, behind, isUnsure } of stripForms(part.text)) {
    const named = !isUnsure && lookup.isWritten(name) ? [[name]] : lookup.neighboursOf(name);
    for (const words of named) found.push([...before, ...words, ...behind].map((text) => ({ ...part, text })));
  }
  return found;
}

function stripForms(word: string): StrippedName[] {
  const found: StrippedName[] = [];
  const left: StrippedName[] = [{ name: word, before: [], behind: [], isUnsure: false }];
  for (let stripped = left.shift(); stripped !== undefined && found.length < MOST_STRIPPED; stripped = left.shift()) {
    const { name, before, behind, isUnsure } = stripped;
    if (before.length + behind.length > 0) found.push(stripped);
    if (before.length + behind.length === MOST_FORMS) continue;
    for (const [letters, text] of gluedForms()) {
      if (name.length - letters.length < MIN_NAME) continue;
      const cut = name.length - letters.length;
      if (name.endsWith(letters))
        left.push({ name: name.slice(0, cut), before, behind: distinctTexts([text, ...behind]), isUnsure });
      if (before.length === 0 && name.startsWith(letters))
        left.push({ name: name.slice(letters.length), before: [text], behind, isUnsure: letters.length < 3 });
    }
  }
  return found;
}

/** `Company Limited` is one form, as when written separately. */
function distinctTexts(texts: string[]): string[] {
  return [...new Set(texts)];
}

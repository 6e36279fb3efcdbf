// The ways in which the index holds one written name: as parts, by the kind of what it names.
import { KIND_AIRPLANE, KIND_ORGANISATION, KIND_PERSON, KIND_VESSEL, type Kind } from '../kind.ts';
import { type FoldedPart, foldName, joinPairs, joinSyllables } from './fold-name.ts';
import { splitFormerNames } from './former-names.ts';
import { namedParts, splitFaith, splitInitials, withFamily } from './named-parts.ts';
import { splitAcronym } from './organisation/bracketed-acronym.ts';
import { foldCraft, foldOrganisation, foldRegistration } from './organisation/fold-organisation.ts';
import { ACRONYM_MARK } from './organisation/marks.ts';

/** How a name of a kind is cut into parts. */
function foldKind(name: string, kind: Kind): FoldedPart[] {
  if (kind === KIND_PERSON) return namedParts(foldName(name));
  if (kind === KIND_ORGANISATION) return foldOrganisation(name);
  return foldRegistration(name, kind === KIND_AIRPLANE) ?? foldCraft(name);
}

/**
 * Chinese and Korean names are also held with their syllables joined, initials that are written together apart, `Sirajuddin` as `Siraj al-Din`, `One Name/Another Name` and a name with the one of before as each of the two, and a name
 * with its short form in brackets as the name and as what was shortened.
 */
export function nameForms(written: string, kind: Kind): FoldedPart[][] {
  const former = splitFormerNames(written, kind);
  if (!former) return wholeForms(written, kind);
  const forms = former.flatMap(({ text, start }) => wholeForms(text, kind).map((parts) => moveBy(parts, start)));
  // Any word may be the name of a ship, `Now` and `Ex` among them.
  return kind === KIND_VESSEL ? [...forms, ...wholeForms(written, kind)] : forms;
}

function wholeForms(written: string, kind: Kind): FoldedPart[][] {
  return kind === KIND_ORGANISATION ? organisationForms(written) : formsOf(written, kind);
}

function organisationForms(written: string): FoldedPart[][] {
  const short = splitAcronym(written);
  if (!short) return formsOf(written, KIND_ORGANISATION);
  const { text, start, end } = short.acronym;
  const acronym = { text: ACRONYM_MARK + text, vowelless: false, syllabic: false, start, end };
  return [...formsOf(short.name, KIND_ORGANISATION), [acronym]];
}

function formsOf(name: string, kind: Kind): FoldedPart[][] {
  const parts = foldKind(name, kind);
  const family = kind === KIND_PERSON ? withFamily(foldName(name), name) : undefined;
  const others =
    kind === KIND_PERSON
      ? [
          joinSyllables(parts, name) ?? splitInitials(parts, ({ start, end }) => name.slice(start, end)),
          splitFaith(parts),
        ]
      : [joinPairs(parts, glue)];
  // First, as what is family in one form and none in the other is one name otherwise.
  const forms = [family, parts, ...others].filter((form) => form !== undefined);
  return kind === KIND_ORGANISATION && name.includes('/') ? [...forms, ...alternatives(name)] : forms;
}

function glue(first: FoldedPart, second: FoldedPart): FoldedPart {
  return { ...first, text: first.text + second.text, end: second.end, syllabic: false };
}

/** Parts of a text that stands so far behind the beginning of another. */
function moveBy(parts: readonly FoldedPart[], by: number): FoldedPart[] {
  return parts.map((part) => ({ ...part, start: part.start + by, end: part.end + by }));
}

/** Shorter ones are forms such as A/S, or words such as and/or. */
const MIN_ALTERNATIVE = 6;
const MAX_ALTERNATIVES = 4;

function alternatives(name: string): FoldedPart[][] {
  const forms: FoldedPart[][] = [];
  let start = 0;
  for (const text of name.split('/').slice(0, MAX_ALTERNATIVES)) {
    if (text.trim().length >= MIN_ALTERNATIVE) forms.push(moveBy(foldOrganisation(text), start));
    start += text.length + 1;
  }
  return forms;
}

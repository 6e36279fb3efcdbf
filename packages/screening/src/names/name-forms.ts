// Forms of a written name in the index, by kind.
import { KIND_AIRPLANE, KIND_ORGANIZATION, KIND_PERSON, KIND_VESSEL, type Kind } from '../kind.ts';
import { type FoldedPart, foldName, joinPairs, joinSyllables } from './fold-name.ts';
import { splitFormerNames } from './former-names.ts';
import { namedParts, splitFaith, splitInitials, withFamily } from './named-parts.ts';
import { splitAcronym } from './organisation/bracketed-acronym.ts';
import { foldCraft, foldOrganization, foldRegistration } from './organisation/fold-organisation.ts';
import { ACRONYM_MARK } from './organisation/marks.ts';

/** Splits a name by the rules of its kind. */
function foldKind(name: string, kind: Kind): FoldedPart[] {
  if (kind === KIND_PERSON) return namedParts(foldName(name));
  if (kind === KIND_ORGANIZATION) return foldOrganization(name);
  return foldRegistration(name, kind === KIND_AIRPLANE) ?? foldCraft(name);
}

/**
 * Additional forms: Chinese and Korean names with joined syllables, separated initials,
 * `Sirajuddin` as `Siraj al-Din`, both names of `One Name/Another Name` and of a name with its
 * former one, and a name with a bracketed abbreviation with and without it.
 */
export function nameForms(written: string, kind: Kind): FoldedPart[][] {
  const former = splitFormerNames(written, kind);
  if (!former) return wholeForms(written, kind);
  const forms = former.flatMap(({ text, start }) => wholeForms(text, kind).map((parts) => shiftParts(parts, start)));
  // Any word may be the name of a ship, including `Now` and `Ex`.
  return kind === KIND_VESSEL ? [...forms, ...wholeForms(written, kind)] : forms;
}

function wholeForms(written: string, kind: Kind): FoldedPart[][] {
  return kind === KIND_ORGANIZATION ? organizationForms(written) : formsOf(written, kind);
}

function organizationForms(written: string): FoldedPart[][] {
  const short = splitAcronym(written);
  if (!short) return formsOf(written, KIND_ORGANIZATION);
  const { text, start, end } = short.acronym;
  const acronym = { text: ACRONYM_MARK + text, vowelless: false, syllabic: false, start, end };
  return [...formsOf(short.name, KIND_ORGANIZATION), [acronym]];
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
      : [joinPairs(parts, joinParts)];
  // Must come first, because names with and without a marked family part would otherwise be
  // duplicates.
  const forms = [family, parts, ...others].filter((form) => form !== undefined);
  return kind === KIND_ORGANIZATION && name.includes('/') ? [...forms, ...alternatives(name)] : forms;
}

function joinParts(first: FoldedPart, second: FoldedPart): FoldedPart {
  return { ...first, text: first.text + second.text, end: second.end, syllabic: false };
}

/** Shifts the parts of a text that starts within another text. */
function shiftParts(parts: readonly FoldedPart[], by: number): FoldedPart[] {
  return parts.map((part) => ({ ...part, start: part.start + by, end: part.end + by }));
}

/** Minimum length. Shorter ones are forms such as A/S, or words such as and/or. */
const MIN_ALTERNATIVE = 6;
const MAX_ALTERNATIVES = 4;

function alternatives(name: string): FoldedPart[][] {
  const forms: FoldedPart[][] = [];
  let start = 0;
  for (const text of name.split('/').slice(0, MAX_ALTERNATIVES)) {
    if (text.trim().length >= MIN_ALTERNATIVE) forms.push(shiftParts(foldOrganization(text), start));
    start += text.length + 1;
  }
  return forms;
}

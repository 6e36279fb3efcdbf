// Converts a subject to an index entry, so that listed entities can be searched among subjects.
import { emptyEntity, type ListedEntity } from '../entity.ts';
import { KIND_ORGANIZATION, KIND_PERSON, KIND_VESSEL, schemaKinds } from '../kind.ts';
import { foldName } from '../names/fold-name.ts';
import { isLegalWord } from '../names/organisation/legal-form.ts';
import { stripAdditions } from '../names/said-names.ts';
import { namesWithin, withoutRepeat } from '../names/several-names.ts';
import { type Subject, takeNumbersOutOfNames } from '../subjects/subject.ts';

/** Matches at every word: two words that together may be a spelled-out legal form. */
const TWO_WORDS = /(?<![A-Za-z])(?=(([A-Za-z]{2,9}) +([A-Za-z]{2,9}))(?![A-Za-z]))/g;

/** An identifier of unknown kind may match any listed kind, so it must be found by each of them. */
const ANY_STRONG_KIND = 'idNumber';

/** Treats subjects of unknown kind with a date of birth as people. Drops weak values. */
export function toSubjectEntity(id: string, written: Subject): ListedEntity {
  const { schema, names, person, birthDate, identifiers = [] } = takeNumbersOutOfNames(written).subject;
  const allNames = person ? [`${person.firstName} ${person.lastName}`.trim(), ...names] : [...names];
  const read = schema ?? (birthDate ? 'Person' : 'Thing');
  const mayBePerson = (schemaKinds(read) & KIND_PERSON) !== 0;
  return {
    ...emptyEntity(id, read),
    names: allNames
      .filter((name) => name.trim() !== '')
      .flatMap((name) => [
        name,
        ...withLegalForm(name),
        ...shortenName(name),
        ...(mayBePerson ? splitNames(name) : []),
      ]),
    birthDates: birthDate ? [birthDate] : [],
    identifiers: identifiers.map(({ value }) => ({ kind: ANY_STRONG_KIND, value })),
  };
}

/** Splits a text with several names, or with a repeated name, as the subject's search does. */
function splitNames(text: string): string[] {
  const once = withoutRepeat(foldName(text));
  return [...(once ? [text.slice(once[0]!.start, once.at(-1)!.end)] : []), ...namesWithin(text)];
}

/** Shortens a name as the subject's search does. */
function shortenName(name: string): string[] {
  return ([KIND_ORGANIZATION, KIND_VESSEL] as const).flatMap((kind) => stripAdditions(name, kind, true));
}

/**
 * Joins a legal form in two words, such as `COM PANY`. If the entity has a different form or none,
 * nothing else reveals it.
 */
function withLegalForm(name: string): string[] {
  for (const { 1: two = '', 2: first = '', 3: second = '', index } of name.matchAll(TWO_WORDS))
    if (isLegalWord(`${first}${second}`.toLowerCase()))
      return [name.slice(0, index) + first + second + name.slice(index + two.length)];
  return [];
}

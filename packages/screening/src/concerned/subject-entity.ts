// A subject as an entry of an index, so that listed entities can be looked for among subjects.
import { emptyEntity, type ListedEntity } from '../entity.ts';
import { KIND_ORGANISATION, KIND_PERSON, KIND_VESSEL, kindsOf } from '../kind.ts';
import { foldName } from '../names/fold-name.ts';
import { isLegalWord } from '../names/organisation/legal-form.ts';
import { saidNames } from '../names/said-names.ts';
import { namesWithin, withoutRepeat } from '../names/several-names.ts';
import { type Subject, takeNumbersOutOfNames } from '../subjects/subject.ts';

/** Beginning at any word; together they are a form that is written out. */
const TWO_WORDS = /(?<![A-Za-z])(?=(([A-Za-z]{2,9}) +([A-Za-z]{2,9}))(?![A-Za-z]))/g;

/** Where the kind is not known, any listed one may agree with it: it must be found by each. */
const ANY_STRONG_KIND = 'idNumber';

/** A subject of unknown kind that has a date of birth is a person. Of what cannot tell it from others, such as addresses, nothing is kept. */
export function subjectEntity(id: string, written: Subject): ListedEntity {
  const { schema, names, person, birthDate, identifiers = [] } = takeNumbersOutOfNames(written).subject;
  const all = person ? [`${person.firstName} ${person.lastName}`.trim(), ...names] : [...names];
  const read = schema ?? (birthDate ? 'Person' : 'Thing');
  const mayBePerson = (kindsOf(read) & KIND_PERSON) !== 0;
  return {
    ...emptyEntity(id, read),
    names: all
      .filter((name) => name.trim() !== '')
      .flatMap((name) => [name, ...withLegalForm(name), ...shortened(name), ...(mayBePerson ? namesOf(name) : [])]),
    birthDates: birthDate ? [birthDate] : [],
    identifiers: identifiers.map(({ value }) => ({ kind: ANY_STRONG_KIND, value })),
  };
}

/** As its own search reads a text with several names, or with one name twice. */
function namesOf(text: string): string[] {
  const once = withoutRepeat(foldName(text));
  return [...(once ? [text.slice(once[0]!.start, once.at(-1)!.end)] : []), ...namesWithin(text)];
}

/** As the search for the subject shortens it. */
function shortened(name: string): string[] {
  return ([KIND_ORGANISATION, KIND_VESSEL] as const).flatMap((kind) => saidNames(name, kind, true));
}

/** A legal form in two words, `COM PANY`, in one: where the entity has another form, or none, nothing else tells what it is. */
function withLegalForm(name: string): string[] {
  for (const { 1: two = '', 2: first = '', 3: second = '', index } of name.matchAll(TWO_WORDS))
    if (isLegalWord(`${first}${second}`.toLowerCase()))
      return [name.slice(0, index) + first + second + name.slice(index + two.length)];
  return [];
}

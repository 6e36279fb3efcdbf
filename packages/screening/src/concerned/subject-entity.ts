// A subject as an entry of an index, so that listed entities can be looked for among subjects.
import { emptyEntity, type ListedEntity } from '../entity.ts';
import type { Subject } from '../subjects/subject.ts';

/** Where the kind is not known, any listed one may agree with it: it must be found by each. */
const ANY_STRONG_KIND = 'idNumber';

/** A subject of unknown kind that has a date of birth is a person. Of what cannot tell it from others, such as addresses, nothing is kept. */
export function subjectEntity(
  id: string,
  { schema, names, person, birthDate, identifiers = [] }: Subject,
): ListedEntity {
  const written = person ? [`${person.firstName} ${person.lastName}`.trim(), ...names] : [...names];
  return {
    ...emptyEntity(id, schema ?? (birthDate ? 'Person' : 'Thing')),
    names: written.filter((name) => name.trim() !== ''),
    birthDates: birthDate ? [birthDate] : [],
    identifiers: identifiers.map(({ value }) => ({ kind: ANY_STRONG_KIND, value })),
  };
}

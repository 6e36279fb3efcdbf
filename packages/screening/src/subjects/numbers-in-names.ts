// Takes the numbers of a ship out of the names of a subject: a word that no listed name has would contradict all of them.
import { IDENTIFIER_KINDS } from '../identifiers/kinds.ts';
import { takeNumbers } from '../identifiers/numbers-in-name.ts';
import { KIND_VESSEL, kindsOf } from '../kind.ts';
import type { Subject } from './subject.ts';

export interface SubjectWithNumbers {
  subject: Subject;
  /** What was made of them. */
  warnings: string[];
}

/** More than anybody writes behind a name; each is searched for. */
const MOST_NUMBERS = 20;

/** Whether a name may be a ship's. Who has a date of birth and no schema is a person. */
function mayBeShip({ schema, birthDate = '' }: Pick<Subject, 'schema' | 'birthDate'>): boolean {
  return schema === undefined ? birthDate.trim() === '' : (kindsOf(schema) & KIND_VESSEL) !== 0;
}

/** Whether a row with nothing but these is to be read as a subject, because its name has a number of a ship in it. */
export function hasNumberInName(row: { firstName: string; lastName: string; birthDate: string }): boolean {
  return mayBeShip({ ...row, schema: undefined }) && takeNumbers(`${row.firstName} ${row.lastName}`) !== undefined;
}

export function takeNumbersOutOfNames(subject: Subject): SubjectWithNumbers {
  if (!mayBeShip(subject)) return { subject, warnings: [] };
  const { names, person, identifiers = [] } = subject;
  const whole = person && `${person.firstName} ${person.lastName}`;
  const ofPerson = whole === undefined ? undefined : takeNumbers(whole);
  const ofNames = names.map(takeNumbers);
  const taken = [ofPerson, ...ofNames].filter((one) => one !== undefined);
  if (taken.length === 0) return { subject, warnings: [] };
  const numbers = taken.flatMap((one) => one.numbers).slice(0, MOST_NUMBERS);
  const says = numbers.map(({ kind, value }) => `${IDENTIFIER_KINDS[kind].says} ${value}`);
  const misread = taken.flatMap((one) => one.misread).slice(0, MOST_NUMBERS);
  return {
    subject: {
      ...subject,
      names: names.map((name, at) => ofNames[at]?.name ?? name),
      // A first and a last name are a person's; what has such a number behind it is none.
      person: ofPerson && ofPerson.numbers.length > 0 ? { firstName: '', lastName: ofPerson.name } : person,
      identifiers: [...identifiers, ...numbers],
    },
    warnings: [
      ...(says.length > 0
        ? [`Taken out of the name and compared as identifiers: ${[...new Set(says)].join(', ')}.`]
        : []),
      ...(misread.length > 0
        ? [`No IMO number, by its last digit, and left in the name: ${[...new Set(misread)].join(', ')}.`]
        : []),
    ],
  };
}

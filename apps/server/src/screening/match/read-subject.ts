// A subject as clients write it, for the engine.
import type { ScreeningSubject } from '@limen/contract';
import { findIdentifierKind, IDENTIFIER_KINDS, type Subject } from '@limen/screening';
import { invalid } from '../../platform/base/errors.ts';

/** `where` names it in refusals. */
export function readSubject(subject: ScreeningSubject, where: string): Subject {
  const { schema, name, firstName = '', lastName = '', aliases = [], birthDate } = subject;
  const { countries = [], nationalities = [], identifiers = [], addresses = [] } = subject;
  const person = firstName + lastName === '' ? undefined : { firstName, lastName };
  if (name === undefined && !person && aliases.length === 0 && identifiers.length === 0)
    throw invalid(where, 'needs a name (or firstName and lastName), or an identifier');
  if (name !== undefined && person)
    throw invalid(where, 'has name as well as firstName or lastName; send one of them, and others as aliases');
  return {
    schema,
    names: [...(name === undefined ? [] : [name]), ...aliases],
    person,
    birthDate,
    countries: [...nationalities, ...countries],
    identifiers: identifiers.map(({ kind, value }, place) => {
      const found = kind === undefined ? undefined : findIdentifierKind(kind);
      if (kind === undefined || found !== undefined) return { kind: found, value };
      const known = Object.keys(IDENTIFIER_KINDS).join(', ');
      throw invalid(`${where}.identifiers.${place}.kind`, `must be one of ${known}, or left out`);
    }),
    addresses,
  };
}

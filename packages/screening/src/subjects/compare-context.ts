// What speaks for or against a match besides name and date of birth: identifiers, countries, addresses.
import type { ListedEntity } from '../entity.ts';
import { compareAddresses } from './compare-addresses.ts';
import { compareIdentifiers, type IdentifierComparison } from './compare-identifiers.ts';
import { readCountries } from './countries.ts';
import type { ReadSubject } from './subject.ts';

/** How one thing that both sides tell compares. */
export interface Comparison {
  relation: 'equal' | 'alike' | 'differs';
  /** In words. */
  detail: string;
  query: string;
  candidate: string;
}

export interface Context {
  identifier?: IdentifierComparison;
  country?: Comparison;
  address?: Comparison;
}

export function compareContext(subject: ReadSubject, entity: ListedEntity): Context {
  const listed = readCountries(entity.countries);
  const country = compareCountries(subject.countries, listed);
  const identifier = compareIdentifiers(subject, { identifiers: entity.identifiers, countries: listed });
  const address = compareAddresses(subject.addresses, entity.addresses);
  return { ...(identifier && { identifier }), ...(country && { country }), ...(address && { address }) };
}

function compareCountries(asked: ReadonlySet<string>, known: ReadonlySet<string>): Comparison | undefined {
  if (asked.size === 0 || known.size === 0) return undefined;
  const shared = [...asked].filter((code) => known.has(code));
  const sides = { query: [...asked].join(', '), candidate: [...known].join(', ') };
  if (shared.length > 0) return { relation: 'alike', detail: `same country: ${shared.join(', ')}`, ...sides };
  return { relation: 'differs', detail: 'no country in common', ...sides };
}

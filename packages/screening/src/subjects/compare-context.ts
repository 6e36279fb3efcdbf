// Compares everything besides name and date of birth: identifiers, countries, addresses.
import type { ListedEntity } from '../entity.ts';
import { foldName } from '../names/fold-name.ts';
import { type Comparison, compareIdentifiers, type IdentifierComparison } from './compare-identifiers.ts';
import { readCountries } from './countries.ts';
import type { ReadSubject } from './subject.ts';

/**
 * Minimum share and number of words that two addresses must have in common, relative to the shorter
 * one. Many people live in one town.
 */
const LEAST_SHARE = 0.7;
const LEAST_WORDS = 3;
const MOST_WORDS = 60;
const MOST_ADDRESSES = 50;

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

/** A different address is no contradiction, because people move. */
function compareAddresses(asked: readonly string[], listed: readonly string[]): Comparison | undefined {
  if (asked.length === 0 || listed.length === 0) return undefined;
  const known = listed.slice(0, MOST_ADDRESSES).map((address) => ({ address, words: wordsOf(address) }));
  for (const one of asked.slice(0, MOST_ADDRESSES)) {
    const words = wordsOf(one);
    const same = known.find((candidate) => isSameAddress(words, candidate.words));
    if (same) return { relation: 'alike', detail: 'same address', query: one, candidate: same.address };
  }
  return undefined;
}

function isSameAddress(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const shared = [...left].filter((word) => right.has(word));
  const hasNumber = shared.some((word) => /\d/.test(word));
  return hasNumber && shared.length >= LEAST_WORDS && shared.length >= LEAST_SHARE * Math.min(left.size, right.size);
}

function wordsOf(address: string): Set<string> {
  const words = foldName(address).map(({ text }) => text);
  return new Set(words.slice(0, MOST_WORDS));
}

// Common alternatives: Jaro-Winkler over all listed names, and Fuse.js. Neither uses dates of
// birth, so both get the usual rule: a birth year four or more years off deducts 0.2.
import type { ListedEntity, PersonRow } from '@limen/screening';
import Fuse from 'fuse.js';

/** The best entities of a row, best first, up to five. */
export type Screen = (row: PersonRow) => { score: number; id: string }[];

const MOST = 5;

const YEARS_OFF = 4;
const PENALTY = 0.2;

interface ListedName {
  id: string;
  name: string;
  sorted: string;
  years: number[];
}

export function bruteJaroWinkler(entities: readonly ListedEntity[], schema = 'Person'): Screen {
  const names = listNames(entities, schema);
  return (row) => {
    const sorted = sortParts(`${row.firstName} ${row.lastName}`);
    const scored = names.map(({ id, sorted: listed, years }) => ({
      score: jaroWinkler(sorted, listed) - penaltyFor(row, years),
      id,
    }));
    return scored.toSorted((a, b) => b.score - a.score).slice(0, MOST);
  };
}

export function fuse(entities: readonly ListedEntity[], schema = 'Person'): Screen {
  const names = listNames(entities, schema);
  const index = new Fuse(names, { keys: ['name'], includeScore: true, threshold: 0.5, ignoreLocation: true });
  return (row) => {
    const asked = row.firstName === '' ? row.lastName : `${row.lastName}, ${row.firstName}`;
    const found = index.search(asked, { limit: MOST });
    const scored = found.map(({ score = 1, item }) => ({
      score: 1 - score - penaltyFor(row, item.years),
      id: item.id,
    }));
    return scored.toSorted((a, b) => b.score - a.score);
  };
}

function listNames(entities: readonly ListedEntity[], wanted: string): ListedName[] {
  return entities
    .filter(({ schema }) => schema === wanted)
    .flatMap(({ id, names, birthDates }) => {
      const years = birthDates.map((date) => Number(date.slice(0, 4)));
      return names.map((name) => ({ id, name, sorted: sortParts(name), years }));
    });
}

function penaltyFor({ birthDate }: PersonRow, years: readonly number[]): number {
  const year = Number(birthDate.slice(0, 4));
  const isOff = year > 0 && years.length > 0 && years.every((other) => Math.abs(other - year) >= YEARS_OFF);
  return isOff ? PENALTY : 0;
}

export function sortParts(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean)
    .toSorted()
    .join(' ');
}

export function jaroWinkler(a: string, b: string): number {
  const jaro = jaroSimilarity(a, b);
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * 0.1 * (1 - jaro);
}

function jaroSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const taken = new Uint8Array(b.length);
  const matchedOfA: string[] = [];
  for (let at = 0; at < a.length; at += 1) {
    const end = Math.min(b.length, at + reach + 1);
    for (let other = Math.max(0, at - reach); other < end; other += 1) {
      if (taken[other] || a[at] !== b[other]) continue;
      taken[other] = 1;
      matchedOfA.push(a[at]!);
      break;
    }
  }
  if (matchedOfA.length === 0) return 0;
  let place = 0;
  let transposed = 0;
  for (let other = 0; other < b.length; other += 1) {
    if (!taken[other]) continue;
    if (b[other] !== matchedOfA[place]) transposed += 1;
    place += 1;
  }
  const matched = matchedOfA.length;
  return (matched / a.length + matched / b.length + (matched - transposed / 2) / matched) / 3;
}

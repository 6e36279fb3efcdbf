// What a list said about an entity before and says now, in the words of a match.
import type { EntryChange, ListedEntry } from '@limen/contract';
import { readCountry } from '@limen/screening';

/** What the list says, and not how it was compared; when it was last seen changes every day. */
const FIELDS = [
  ...(['caption', 'schema', 'aliases', 'birthDate', 'countries', 'nationalities', 'addresses', 'positions'] as const),
  ...(['identifiers', 'topics', 'programs', 'datasets', 'referents', 'firstSeen', 'lastChange'] as const),
];

/** One list has `ru` and another Russia, which is no change. */
const COUNTRIES: ReadonlySet<string> = new Set(['countries', 'nationalities']);

export function compareMatches(before: ListedEntry, after: ListedEntry): EntryChange[] {
  return FIELDS.flatMap((field) => {
    const [old, now] = [valuesOf(before[field]), valuesOf(after[field])];
    const meaning = COUNTRIES.has(field) ? (value: string) => readCountry(value) ?? value : (value: string) => value;
    const [meant, means] = [old.map(meaning), now.map(meaning)];
    const removed = old.filter((value) => !means.includes(meaning(value)));
    const added = now.filter((value) => !meant.includes(meaning(value)));
    return removed.length + added.length === 0 ? [] : [{ field, removed, added }];
  });
}

function valuesOf(listed: ListedEntry[(typeof FIELDS)[number]]): string[] {
  if (listed === null) return [];
  if (typeof listed === 'string') return [listed];
  return listed.map((value) => (typeof value === 'string' ? value : `${value.kind} ${value.value}`));
}

// What a list said about an entity before and says now, in the words of a match.

import { isDeepStrictEqual } from 'node:util';
import type { EntryChange, ListedEntry } from '@limen/contract';
import { readCountry } from '@limen/screening';
import type { SubjectContent } from './contents.ts';

/** What the list says, and not how it was compared; when it was last seen changes every day. */
const FIELDS = [
  ...(['caption', 'schema', 'aliases', 'birthDate', 'countries', 'nationalities', 'addresses', 'positions'] as const),
  ...(['identifiers', 'topics', 'programs', 'datasets', 'referents', 'firstSeen', 'lastChange'] as const),
];

/** One list has `ru` and another Russia, which is no change. */
const COUNTRIES: ReadonlySet<string> = new Set(['countries', 'nationalities']);

export function compareMatches(before: ListedEntry, after: ListedEntry): EntryChange[] {
  return FIELDS.flatMap((field) => {
    const meaningOf = COUNTRIES.has(field) ? (value: string) => readCountry(value) ?? value : undefined;
    return compareValues(field, valuesOf(before[field]), valuesOf(after[field]), meaningOf);
  });
}

function compareValues(field: string, old: string[], now: string[], meaningOf = (value: string) => value) {
  const [meant, means] = [old.map(meaningOf), now.map(meaningOf)];
  const removed = old.filter((value) => !means.includes(meaningOf(value)));
  const added = now.filter((value) => !meant.includes(meaningOf(value)));
  return removed.length + added.length === 0 ? [] : [{ field, removed, added }];
}

function valuesOf(listed: ListedEntry[(typeof FIELDS)[number]]): string[] {
  if (listed === null) return [];
  if (typeof listed === 'string') return [listed];
  return listed.map((value) => (typeof value === 'string' ? value : `${value.kind} ${value.value}`));
}

/** Of the callback only that it is another one: its address and headers may be secrets. */
export function compareContents(before: SubjectContent, after: SubjectContent): EntryChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const changes = fields.flatMap((field) => compareValues(field, old[field] ?? [], now[field] ?? []));
  const isCalledElsewhere = !isDeepStrictEqual(before.callback, after.callback);
  return isCalledElsewhere ? [...changes, { field: 'callback', removed: [], added: [] }] : changes;
}

function fieldsOf({ subject, dataset, scoreThreshold }: SubjectContent): Record<string, string[]> {
  const known = Object.entries(subject).map(([field, value]) => [field, textsOf(value)]);
  return { ...Object.fromEntries(known), dataset: [dataset], scoreThreshold: [String(scoreThreshold)] };
}

type SubjectValue = string | { kind?: string | undefined; value: string };

function textsOf(value: SubjectValue | SubjectValue[] | undefined): string[] {
  return [value ?? []]
    .flat()
    .map((one) => (typeof one === 'string' ? one : [one.kind, one.value].filter(Boolean).join(' ')));
}

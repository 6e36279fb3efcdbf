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

/** Of the callback only that it is another one: its address and headers may be secrets. */
export function compareContents(before: SubjectContent, after: SubjectContent): EntryChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const changes = [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((field) => {
    const [had, has] = [old[field] ?? [], now[field] ?? []];
    const removed = had.filter((value) => !has.includes(value));
    const added = has.filter((value) => !had.includes(value));
    return removed.length + added.length === 0 ? [] : [{ field, removed, added }];
  });
  const isCalledElsewhere = !isDeepStrictEqual(before.callback, after.callback);
  return isCalledElsewhere ? [...changes, { field: 'callback', removed: [], added: [] }] : changes;
}

function fieldsOf({ subject, dataset, scoreThreshold }: SubjectContent): Record<string, string[]> {
  const known = Object.entries(subject).map(([field, value]) => [field, textsOf(value)]);
  return { ...Object.fromEntries(known), dataset: [dataset], scoreThreshold: [String(scoreThreshold)] };
}

type SubjectValue = string | { kind?: string | undefined; value: string };

function textsOf(value: SubjectValue | readonly SubjectValue[] | undefined): string[] {
  const values =
    value === undefined ? [] : Array.isArray(value) ? (value as readonly SubjectValue[]) : [value as SubjectValue];
  return values.map((one) => (typeof one === 'string' ? one : [one.kind, one.value].filter(Boolean).join(' ')));
}

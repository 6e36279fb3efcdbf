// Changes between two entries of a list, and between two contents of a subject.
import { isDeepStrictEqual } from 'node:util';
import type { EntryChange, ListedEntry } from '@limen/contract';
import { readCountry } from '@limen/screening';
import type { SubjectContent } from './contents.ts';

/** Leaves out `lastSeen`, which changes every day. */
const FIELDS = [
  ...(['caption', 'schema', 'aliases', 'birthDate', 'countries', 'nationalities', 'addresses', 'positions'] as const),
  ...(['identifiers', 'topics', 'programs', 'datasets', 'referents', 'firstSeen', 'lastChange'] as const),
];

export function compareMatches(before: ListedEntry, after: ListedEntry): EntryChange[] {
  return FIELDS.flatMap((field) => {
    // `ru` and Russia are the same.
    const isCountry = field === 'countries' || field === 'nationalities';
    const meaningOf = isCountry ? (value: string) => readCountry(value) ?? value : undefined;
    return compareValues(field, formatTexts(before[field]), formatTexts(after[field]), meaningOf);
  });
}

function compareValues(field: string, old: string[], now: string[], meaningOf = (value: string) => value) {
  const [meant, means] = [old.map(meaningOf), now.map(meaningOf)];
  const removed = old.filter((value) => !means.includes(meaningOf(value)));
  const added = now.filter((value) => !meant.includes(meaningOf(value)));
  return removed.length + added.length === 0 ? [] : [{ field, removed, added }];
}

/** Leaves out the values of the callback: its address and headers may be secrets. */
export function compareContents(before: SubjectContent, after: SubjectContent): EntryChange[] {
  const [old, now] = [collectFields(before), collectFields(after)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const changes = fields.flatMap((field) => compareValues(field, old[field] ?? [], now[field] ?? []));
  if (isDeepStrictEqual(before.callback, after.callback)) return changes;
  return [...changes, { field: 'callback', removed: [], added: [] }];
}

function collectFields({ subject, dataset, scoreThreshold }: SubjectContent): Record<string, string[]> {
  const known = Object.entries(subject).map(([field, value]) => [field, formatTexts(value)]);
  return { ...Object.fromEntries(known), dataset: [dataset], scoreThreshold: [String(scoreThreshold)] };
}

type ContentValue = string | { kind?: string | undefined; value: string };

function formatTexts(value: ContentValue | readonly ContentValue[] | null | undefined): string[] {
  return [value ?? []].flat().map((part) => {
    return typeof part === 'string' ? part : [part.kind, part.value].filter(Boolean).join(' ');
  });
}

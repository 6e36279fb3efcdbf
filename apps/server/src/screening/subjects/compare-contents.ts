// What a customer changed of a subject: what is known of it, and what it is watched against.

import { isDeepStrictEqual } from 'node:util';
import type { EntryChange } from '@limen/contract';
import type { SubjectContent } from './contents.ts';

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
  const known = Object.entries(subject).map(([field, value]) => [field, valuesOf(value)]);
  return { ...Object.fromEntries(known), dataset: [dataset], scoreThreshold: [String(scoreThreshold)] };
}

type Value = string | { kind?: string | undefined; value: string };

function valuesOf(value: Value | readonly Value[] | undefined): string[] {
  const values = value === undefined ? [] : Array.isArray(value) ? (value as readonly Value[]) : [value as Value];
  return values.map((one) => (typeof one === 'string' ? one : [one.kind, one.value].filter(Boolean).join(' ')));
}

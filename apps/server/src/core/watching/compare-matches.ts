// What a list said about an entity before and says now, in the words of a match.
import type { EntryChange, SubjectMatch } from '@limen/contract';

/** What the list says, and not how it was compared; when it was last seen changes every day. */
const FIELDS = [
  ...(['caption', 'schema', 'aliases', 'birthDate', 'countries', 'nationalities', 'addresses', 'positions'] as const),
  ...(['identifiers', 'topics', 'programs', 'datasets', 'referents', 'firstSeen', 'lastChange'] as const),
];

export function compareMatches(before: SubjectMatch, after: SubjectMatch): EntryChange[] {
  return FIELDS.flatMap((field) => {
    const [old, now] = [valuesOf(before[field]), valuesOf(after[field])];
    const removed = old.filter((value) => !now.includes(value));
    const added = now.filter((value) => !old.includes(value));
    return removed.length + added.length === 0 ? [] : [{ field, removed, added }];
  });
}

function valuesOf(listed: SubjectMatch[(typeof FIELDS)[number]]): string[] {
  if (listed === null) return [];
  if (typeof listed === 'string') return [listed];
  return listed.map((value) => (typeof value === 'string' ? value : `${value.kind} ${value.value}`));
}

// Writes the matches of a watched subject as findings, with the entries of all lists.
import type { ScreeningSubject } from '@limen/contract';
import { hashEntry, hashFields } from '../engine/hash-entry.ts';
import type { SubjectOutcome } from '../engine/messages.ts';
import type { Matched } from '../match/matcher.ts';
import { readSubject } from '../match/read-subject.ts';
import { writeEntry, writeMatch } from '../match/write-result.ts';
import type { HitFinding, SubjectContent } from './contents.ts';
import { hashesOf } from './diff-hits.ts';

/** Returns whether more entities may match than the limit. */
export function hasMore({ found, complete, matches }: SubjectOutcome): boolean {
  return !complete || found > matches.length;
}

export function findingsOf(
  { subject, dataset }: SubjectContent,
  outcome: SubjectOutcome,
  { searched }: Matched,
  engineVersion: string,
): HitFinding[] {
  const subjectHash = hashSubject(subject);
  const ids = new Set<string>();
  return outcome.matches.map((match) => {
    const isStranger = ids.has(match.entity.id);
    ids.add(match.entity.id);
    const { name: list, version: listVersion } = searched[match.place]!;
    const elsewhere = match.elsewhere ?? [];
    const others = elsewhere.map(({ place, entryHash, entity }) => {
      const { name, version } = searched[place]!;
      return { list: name, listVersion: version, entryHash, entry: writeEntry(entity) };
    });
    const datasets = new Set([...match.entity.datasets, ...elsewhere.flatMap(({ entity }) => entity.datasets)]);
    return {
      list,
      listVersion,
      ...hashesOf(list, hashEntry(match.entity), others),
      engineVersion,
      subjectHash,
      dataset,
      ...(isStranger && { stranger: true as const }),
      others,
      match: writeMatch({ ...match, entity: { ...match.entity, datasets: [...datasets] } }),
    };
  });
}

/** Hashes only what is compared with lists, without callback, dataset and threshold. */
export function hashSubject(subject: Omit<ScreeningSubject, 'id'>): string {
  return hashFields(readSubject(subject, 'subject'));
}

// Writes what a search found for a watched subject as findings, with what all lists say.
import type { ScreeningSubject } from '@limen/contract';
import { hashEntry, hashFields } from '../engine/hash-entry.ts';
import type { SubjectOutcome } from '../engine/messages.ts';
import type { Matched } from '../match/matcher.ts';
import { readSubject } from '../match/read-subject.ts';
import { writeEntry, writeMatch } from '../match/write-result.ts';
import type { HitFinding, SubjectContent } from './contents.ts';
import { hashesOf } from './diff-hits.ts';

/** Whether more may match than were found within the limit. */
export function hasMore({ found, complete, matches }: SubjectOutcome): boolean {
  return !complete || found > matches.length;
}

export function findingsOf(
  content: SubjectContent,
  outcome: SubjectOutcome,
  { searched }: Matched,
  engineVersion: string,
): HitFinding[] {
  const subjectHash = hashSubject(content.subject);
  const ids = new Set<string>();
  return outcome.matches.map((match) => {
    const isStranger = ids.has(match.entity.id);
    ids.add(match.entity.id);
    const { name, version } = searched[match.place]!;
    const elsewhere = match.elsewhere ?? [];
    const others = elsewhere.map(({ place, entryHash, entity }) => ({
      list: searched[place]!.name,
      listVersion: searched[place]!.version,
      entryHash,
      entry: writeEntry(entity),
    }));
    const datasets = [...new Set([...match.entity.datasets, ...elsewhere.flatMap(({ entity }) => entity.datasets)])];
    return {
      list: name,
      listVersion: version,
      ...hashesOf(name, hashEntry(match.entity), others),
      engineVersion,
      subjectHash,
      dataset: content.dataset,
      ...(isStranger && { stranger: true as const }),
      others,
      match: writeMatch({ ...match, entity: { ...match.entity, datasets } }),
    };
  });
}

/** Only what is compared with lists: where alerts go, or from which score on, says nothing about who it is. */
export function hashSubject(subject: Omit<ScreeningSubject, 'id'>): string {
  return hashFields(readSubject(subject, 'subject'));
}

// A name for what is known of a subject: another as soon as anything of that changes.
import type { ScreeningSubject } from '@limen/contract';
import { hashFields } from '../engine/hash-entry.ts';
import { readSubject } from '../match/read-subject.ts';

/** Only what is compared with lists: where alerts go, or from which score on, says nothing about who it is. */
export function hashSubject(subject: Omit<ScreeningSubject, 'id'>): string {
  return hashFields(readSubject(subject, 'subject'));
}

// Whom or what to screen, as FollowTheMoney describes an entity: a schema, and properties with one value or several.
import { type Subject, subjectOf } from '../../subjects/subject.ts';
import { createDraft } from '../entity-draft.ts';
import { fillDraft, readTexts } from './load-ftm.ts';

/** Properties are read as in a list; those that say nothing to compare by are left out. */
export function readFtmSubject(
  schema: string | undefined,
  properties: Readonly<Record<string, string | readonly unknown[]>>,
): Subject {
  const draft = createDraft('', schema ?? '', 0, '', []);
  fillDraft(draft, properties, '');
  const subject = subjectOf(draft.entity);
  const join = (...keys: string[]) => keys.flatMap((key) => readTexts(properties[key]).slice(0, 1)).join(' ');
  const firstName = join('firstName', 'secondName', 'middleName');
  const lastName = join('lastName');
  // One of the two alone is a name only where there is no other.
  const isTold = subject.names.length > 0 ? firstName !== '' && lastName !== '' : firstName + lastName !== '';
  return { ...subject, schema, person: isTold ? { firstName, lastName } : undefined };
}

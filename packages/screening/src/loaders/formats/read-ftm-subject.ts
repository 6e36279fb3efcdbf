// Reads a subject from a FollowTheMoney entity: a schema, and properties with one or more values.
import { type Subject, toSubject } from '../../subjects/subject.ts';
import { createDraft } from '../entity-draft.ts';
import { fillDraft, readTexts } from './load-ftm.ts';

/** Reads properties as in a list, and drops those that cannot be compared. */
export function readFtmSubject(
  schema: string | undefined,
  properties: Readonly<Record<string, string | readonly unknown[]>>,
): Subject {
  const draft = createDraft('', schema ?? '', 0, '', []);
  fillDraft(draft, properties, '');
  const subject = toSubject(draft.entity);
  const join = (...keys: string[]) => keys.flatMap((key) => readTexts(properties[key]).slice(0, 1)).join(' ');
  const firstName = join('firstName', 'secondName', 'middleName');
  const lastName = join('lastName');
  // A lone first or last name counts only if there is no other name.
  const isTold = subject.names.length > 0 ? firstName !== '' && lastName !== '' : firstName + lastName !== '';
  return { ...subject, schema, person: isTold ? { firstName, lastName } : undefined };
}

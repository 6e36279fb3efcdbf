// Fields of a subject that the reference does not name are ignored, and named in warnings: a misspelt date of birth is not compared.
import { ScreeningSubject, SubjectIdentifier } from '@limen/contract';
import { findClosestName } from '../../../platform/closest-name.ts';

/** So many are named; anybody may send any number of them. */
const UNKNOWN_TOLD = 10;
const SUBJECT_FIELDS = Object.keys(ScreeningSubject.properties);
const IDENTIFIER_FIELDS = Object.keys(SubjectIdentifier.properties);

type Sent = Pick<ScreeningSubject, 'identifiers'>;

/** `known` are its fields, those of whatever it is sent with among them. */
export function warnOfUnknownFields(sent: Sent, known: readonly string[] = SUBJECT_FIELDS): string[] {
  const unknown = [
    ...unknownOf(sent, known),
    ...(sent.identifiers ?? []).flatMap((one) => unknownOf(one, IDENTIFIER_FIELDS)),
  ];
  if (unknown.length === 0) return [];
  const told = [...new Set(unknown)];
  const more = told.length > UNKNOWN_TOLD ? ', …' : '';
  return [`Fields that are not known, not compared: ${told.slice(0, UNKNOWN_TOLD).join(', ')}${more}.`];
}

/** Without those that are not known, so that they are not kept either. */
export function withoutUnknownFields<Request extends Sent>(sent: Request, known: readonly string[]): Request {
  const identifiers = sent.identifiers?.map((one) => pick(one, IDENTIFIER_FIELDS));
  return { ...pick(sent, known), ...(identifiers && { identifiers }) };
}

function pick<Of extends object>(sent: Of, known: readonly string[]): Of {
  return Object.fromEntries(Object.entries(sent).filter(([field]) => known.includes(field))) as Of;
}

function unknownOf(sent: object, known: readonly string[]): string[] {
  const unknown = Object.keys(sent).filter((field) => !known.includes(field));
  return unknown.map((field) => {
    // Anything may stand there; what is told again looks like a name.
    if (!/^[\w-]{1,40}$/.test(field)) return 'one without a usable name';
    const meant = findClosestName(field, known);
    return meant === undefined ? field : `${field} (did you mean ${meant}?)`;
  });
}

// Fields of a subject that the reference does not name are ignored, and named in warnings: a misspelt date of birth is not compared.
import { MatchRequest, ScreeningSubject, SubjectIdentifier } from '@limen/contract';
import { findMeantName } from '../usual-names.ts';

/** So many are named; anybody may send any number of them. */
const UNKNOWN_TOLD = 10;
const SUBJECT_FIELDS = Object.keys(ScreeningSubject.properties);
const IDENTIFIER_FIELDS = Object.keys(SubjectIdentifier.properties);
const REQUEST_FIELDS = Object.keys(MatchRequest.properties);
/** There whether or not they were sent: the check of a request fills them in. */
const FILLED_IN = new Set(['dataset', 'scoreThreshold', 'limit']);

type Sent = Pick<ScreeningSubject, 'identifiers'>;

/** `known` are its fields, those of whatever it is sent with among them. */
export function warnOfUnknownFields(sent: Sent, known: readonly string[] = SUBJECT_FIELDS): string[] {
  const unknown = [
    ...unknownOf(sent, known),
    ...(sent.identifiers ?? []).flatMap((one) => unknownOf(one, IDENTIFIER_FIELDS)),
  ];
  return unknown.length === 0 ? [] : [`Fields that are not known, not compared: ${nameSome(unknown)}.`];
}

/** Of what a call says beside its subjects: whoever misspells the threshold gets the usual one. */
export function warnOfUnknownRequest(sent: object): string[] {
  const unknown = unknownOf(sent, REQUEST_FIELDS);
  return unknown.length === 0 ? [] : [`Fields that are not known, not read: ${nameSome(unknown)}.`];
}

function nameSome(unknown: readonly string[]): string {
  const told = [...new Set(unknown)];
  return [...told.slice(0, UNKNOWN_TOLD), ...(told.length > UNKNOWN_TOLD ? ['…'] : [])].join(', ');
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
  const open = known.filter((field) => FILLED_IN.has(field) || !Object.hasOwn(sent, field));
  return unknown.map((field) => {
    // Anything may stand there; what is told again looks like a name.
    if (!/^[\w-]{1,40}$/.test(field)) return 'one without a usable name';
    const meant = findMeantName(field, known, open);
    return meant === undefined ? field : `${field} (did you mean ${meant}?)`;
  });
}

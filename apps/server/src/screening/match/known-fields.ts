// Warnings about unknown fields of a screening request, such as a misspelled date of birth.
import { MatchRequest, ScreeningSubject } from '@limen/contract';
import { type UnknownField, unknownFields } from '../../platform/json/known-fields.ts';
import { explainSome } from '../../platform/names/name-finder.ts';

const MAX_NAMED = 10;
/** Other names are not safe to repeat. */
const USABLE_NAME = /^[\w-]{1,40}$/;
/** Request without its subjects, which have warnings of their own. */
const BESIDE_SUBJECTS = { type: 'object', properties: { ...MatchRequest.properties, subjects: {} } };

/** Names the fields of a subject that are not compared; empty if there are none. */
export function warnOfUnknownFields(sent: object, schema: object = ScreeningSubject): string[] {
  return describeUnknown(schema, sent, 'not compared');
}

/** Names the fields next to the subjects that are not read. */
export function warnOfUnknownRequest(sent: object): string[] {
  return describeUnknown(BESIDE_SUBJECTS, sent, 'not read');
}

function describeUnknown(schema: object, sent: object, what: string): string[] {
  const fields = distinct(unknownFields(schema, sent, ''));
  const { explained, hasMore } = explainSome(fields, MAX_NAMED, ({ name, findMeant }) => {
    if (!USABLE_NAME.test(name)) return 'one without a usable name';
    const meant = findMeant();
    return meant === undefined ? name : `${name} (did you mean ${meant}?)`;
  });
  if (explained.length === 0) return [];
  return [`Fields that are not known, ${what}: ${[...explained, ...(hasMore ? ['…'] : [])].join(', ')}.`];
}

/** Yields each name once; all unusable names count as one. */
function* distinct(fields: Iterable<UnknownField>): Generator<UnknownField> {
  const seen = new Set<string>();
  for (const field of fields) {
    const name = USABLE_NAME.test(field.name) ? field.name : '';
    if (seen.has(name)) continue;
    seen.add(name);
    yield field;
  }
}

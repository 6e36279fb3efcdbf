// Reads the fields of JSON bodies: null counts as left out, other spellings get the field's name, and unknown fields are ignored,
// or refused if the client asks for that.
import { type FieldWarning, VISIBLE_TEXT, WARNINGS_MAX } from '@limen/contract';
import type { FastifyRequest, preValidationHookHandler, RouteOptions } from 'fastify';
import { invalidFields } from '../../base/errors.ts';
import { hasFields, normalizeFields, type UnknownField, unknownFields } from '../../json/known-fields.ts';
import { explainSome } from '../../names/name-finder.ts';

const MAX_PATH_CHARACTERS = 80;
/** RFC 7240: a list of preferences, each with parameters. */
const STRICT = /(?:^|,)\s*handling\s*=\s*(?:strict|"strict")\s*(?=[,;]|$)/i;

/** Runs after the route's own hooks, which may look at the bytes, and before the validation. */
export function readKnownFields(route: RouteOptions): void {
  const schema = route.schema?.body;
  if (!hasFields(schema)) return;
  const read: preValidationHookHandler = (request, _reply, done) => {
    normalizeFields(schema, request.body, 'body');
    if (isStrict(request)) refuseUnknownFields(schema, request.body);
    done();
  };
  route.preValidation = [...[route.preValidation ?? []].flat(), read];
}

export function listUnknownFieldWarnings(schema: object, body: unknown): { warnings?: FieldWarning[] } {
  const warnings = explainUnknown(schema, body, 'is not a known field and was ignored');
  return warnings.length > 0 ? { warnings } : {};
}

/** Returns a function that finds the unknown field that was probably meant for a missing field. */
export function createFieldSuggester(schema: unknown, body: unknown): (path: string) => string {
  if (!hasFields(schema)) return () => '';
  const { explained } = explainSome(unknownFields(schema, body, 'body'), WARNINGS_MAX, (field) => ({
    shown: showPath(field),
    meant: `${field.path}.${field.findMeant()}`,
  }));
  return (path) => {
    const misspelt = explained.find(({ meant }) => meant === path);
    return misspelt ? ` (is ${misspelt.shown} meant for it?)` : '';
  };
}

function refuseUnknownFields(schema: object, body: unknown): void {
  const details = explainUnknown(schema, body, 'is not a known field');
  if (details.length > 0) throw invalidFields(details);
}

function explainUnknown(schema: object, body: unknown, what: string): FieldWarning[] {
  const explain = (field: UnknownField): FieldWarning => {
    const meant = field.findMeant();
    return { path: showPath(field), message: meant === undefined ? what : `${what} (did you mean ${meant}?)` };
  };
  return explainSome(unknownFields(schema, body, 'body'), WARNINGS_MAX, explain).explained;
}

const VISIBLE = new RegExp(`[ ]|${VISIBLE_TEXT}`, 'u');

/** Shortens the name, which may be of any length, and shows invisible characters as question marks. */
function showPath({ path, name }: UnknownField): string {
  const start = `${path}.${name.slice(0, 2 * MAX_PATH_CHARACTERS)}`;
  const characters = [...start].map((character) => (VISIBLE.test(character) ? character : '?'));
  const isShort = characters.length <= MAX_PATH_CHARACTERS;
  return isShort ? characters.join('') : `${characters.slice(0, MAX_PATH_CHARACTERS - 1).join('')}…`;
}

export function isStrict({ headers: { prefer } }: FastifyRequest): boolean {
  return STRICT.test([prefer ?? []].flat().join(','));
}

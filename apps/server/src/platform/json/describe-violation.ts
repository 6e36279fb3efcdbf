// Describes schema violations in sentences: the place, the error, and a valid value.
import { type ErrorDetail, UNKNOWN_FIELDS_MAX, VISIBLE_TEXT } from '@limen/contract';
import { CONTACT_FORMS } from '@limen/plan';
import { findNameFinder } from '../names/name-finder.ts';
import { MAX_UNKNOWN_FIELDS } from './unknown-fields.ts';

/** Meanings of patterns in words */
const PATTERNS: Readonly<Record<string, string>> = {
  [CONTACT_FORMS.email]: 'must be an e-mail address, such as ann@example.org',
  [CONTACT_FORMS.phone]: 'must be a telephone number of 5 to 32 characters, such as +43 664 1234567',
  [VISIBLE_TEXT]: 'must not be blank',
};
/** How the contract writes bytes of a fixed number. */
const BASE64URL = /^\^\[A-Za-z0-9_-\]\{(\d+)\}\$$/;

/** Part of a path that a reply shows. Clients choose the names of some fields, and their length. */
const MAX_PATH_LENGTH = 200;

/** Violation as both Ajv and Fastify report it */
interface Violation {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string | undefined;
  parentSchema?: object | undefined;
}

/** `root` is the start of the path; empty where the value stands alone. Names fields, and never what is in them. */
export function describeViolation(violation: Violation, root: string): ErrorDetail {
  const { instancePath, keyword, params, message, parentSchema } = violation;
  const missing = keyword === 'required' ? `/${String(params['missingProperty'])}` : '';
  const whole = root + `${instancePath}${missing}`.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const path = root === '' ? whole.slice(1) : whole;
  const { properties = {} } = (parentSchema ?? {}) as { properties?: object };
  const field = root === 'query' ? 'parameter' : 'field';
  return {
    path: path.length <= MAX_PATH_LENGTH ? path : `${path.slice(0, MAX_PATH_LENGTH - 1)}…`,
    message: SENTENCES[keyword]?.(params, properties, field) ?? message ?? 'is not valid',
  };
}

/** `properties`: the known fields by name. `field`: how fields are called. */
type DescribeViolation = (params: Record<string, unknown>, properties: object, field: string) => string | undefined;

const SENTENCES: Readonly<Record<string, DescribeViolation>> = {
  required: () => 'is required',
  type: ({ type }, _, field) =>
    field === 'parameter' ? describeText([type].flat()) : `must be ${withArticle([type].flat().join(' or '))}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  minItems: ({ limit }) => `must have at least ${entries(limit)}`,
  maxItems: ({ limit }) => `must have at most ${entries(limit)}`,
  maxProperties: ({ limit }) => `must have at most ${entries(limit)}`,
  additionalProperties: ({ additionalProperty }, properties, field) => {
    const name = String(additionalProperty);
    // Only names that look like names are shown.
    const isName = /^[\w-]{1,40}$/.test(name);
    const known = Object.keys(properties);
    const meant = isName ? findNameFinder(properties)(name) : undefined;
    const problem = isName ? `has no ${field} ${name}` : `has a ${field} that is not known`;
    const others = known.length === 0 ? '' : `; it may have ${known.join(', ')}`;
    return `${problem}${meant === undefined ? '' : ` (did you mean ${meant}?)`}${others}`;
  },
  [MAX_UNKNOWN_FIELDS]: () => `must have at most ${UNKNOWN_FIELDS_MAX} unknown fields`,
  uniqueItems: () => 'must not have the same entry twice',
  pattern: ({ pattern }) => {
    const characters = BASE64URL.exec(String(pattern))?.[1];
    return characters ? `must be ${characters} characters of base64url` : PATTERNS[String(pattern)];
  },
};

/** Describes a parameter's type by its spelling, as `platform/text/plain-numbers.ts` reads it. */
function describeText(types: unknown[]): string {
  if (types.includes('integer')) return 'must be an integer in plain digits, such as 50, and be sent once';
  if (types.includes('number')) return 'must be a number in plain digits, such as 0.95, and be sent once';
  if (types.includes('boolean')) return 'must be true or false, and be sent once';
  return 'must be sent once';
}

function entries(count: unknown): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function withArticle(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

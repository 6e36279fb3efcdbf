// What does not fit a schema, in sentences: where, what is wrong, what would be right.
import { type ErrorDetail, UNKNOWN_FIELDS_MAX, VISIBLE_TEXT } from '@limen/contract';
import { CONTACT_FORMS } from '@limen/plan';
import { nameFinderOf } from '../names/name-finder.ts';
import { MAX_UNKNOWN_FIELDS } from './unknown-fields.ts';

/** What a pattern asks for, in words; a regular expression tells most people nothing. */
const IN_WORDS: Readonly<Record<string, string>> = {
  [CONTACT_FORMS.email]: 'must be an e-mail address, such as ann@example.org',
  [CONTACT_FORMS.phone]: 'must be a telephone number of 5 to 32 characters, such as +43 664 1234567',
  [VISIBLE_TEXT]: 'must not be blank',
};
/** How the contract writes bytes of a fixed number. */
const BASE64URL = /^\^\[A-Za-z0-9_-\]\{(\d+)\}\$$/;

/** Part of a path that a reply shows. Clients choose the names of some fields, and their length. */
const MAX_PATH_LENGTH = 200;

/** What was found, as both Ajv and Fastify have it. */
interface Violation {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string | undefined;
  parentSchema?: object | undefined;
}

/** `root` is what the path begins with; empty where the value stands alone. Names fields, and never what is in them. */
export function describeViolation(violation: Violation, root: string): ErrorDetail {
  const { instancePath, keyword, params, message, parentSchema } = violation;
  const missing = keyword === 'required' ? `/${String(params['missingProperty'])}` : '';
  const path = root + `${instancePath}${missing}`.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const { properties = {} } = (parentSchema ?? {}) as { properties?: object };
  const field = root === 'query' ? 'parameter' : 'field';
  return {
    path: shorten(root === '' ? path.slice(1) : path),
    message: sentence(keyword, params, { properties, field }) ?? message ?? 'is not valid',
  };
}

function shorten(path: string): string {
  return path.length <= MAX_PATH_LENGTH ? path : `${path.slice(0, MAX_PATH_LENGTH - 1)}…`;
}

interface Around {
  /** The fields beside it, by name. */
  properties: object;
  /** What the fields are. */
  field: string;
}

function sentence(keyword: string, params: Record<string, unknown>, { properties, field }: Around): string | undefined {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      if (field === 'parameter') return describeText([params['type']].flat());
      return `must be ${withArticle([params['type']].flat().join(' or '))}`;
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'minimum':
      return `must be ${params['limit']} or more`;
    case 'maximum':
      return `must be ${params['limit']} or less`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
    case 'minItems':
      return `must have at least ${entries(params['limit'])}`;
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${entries(params['limit'])}`;
    case 'additionalProperties': {
      // A name is shown where it looks like one: anything may stand there.
      const name = String(params['additionalProperty']);
      const isName = /^[\w-]{1,40}$/.test(name);
      const known = Object.keys(properties);
      const meant = isName ? nameFinderOf(properties)(name) : undefined;
      const said = isName ? `has no ${field} ${name}` : `has a ${field} that is not known`;
      const others = known.length === 0 ? '' : `; it may have ${known.join(', ')}`;
      return `${said}${meant === undefined ? '' : ` (did you mean ${meant}?)`}${others}`;
    }
    case MAX_UNKNOWN_FIELDS:
      return `must have at most ${UNKNOWN_FIELDS_MAX} unknown fields`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    case 'pattern': {
      const characters = BASE64URL.exec(String(params['pattern']))?.[1];
      return characters ? `must be ${characters} characters of base64url` : IN_WORDS[String(params['pattern'])];
    }
    default:
      return undefined;
  }
}

/** A parameter's type, with how it is written: the grammar is that of `platform/text/plain-numbers.ts`. */
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

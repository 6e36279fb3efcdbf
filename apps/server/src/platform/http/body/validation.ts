// Turns schema violations into sentences: where, what is wrong, what would be right.
import type { ErrorDetail } from '@limen/contract';
import { CONTACT_FORMS } from '@limen/plan';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchemaValidationError } from 'fastify';
import { findClosestName } from '../../closest-name.ts';
import { AppError } from '../../errors.ts';
import { type Check, compileWhenUsed } from '../../json/compile-when-used.ts';
import type { NamedSchemas } from './named-schemas.ts';

const MAX_DETAILS = 20;
/** What a pattern asks for, in words; a regular expression tells most people nothing. */
const IN_WORDS: Readonly<Record<string, string>> = {
  [CONTACT_FORMS.email]: 'must be an e-mail address, such as ann@example.org',
  [CONTACT_FORMS.phone]: 'must be a telephone number of 5 to 32 characters, such as +43 664 1234567',
};
/** How the contract writes bytes of a fixed number. */
const BASE64URL = /^\^\[A-Za-z0-9_-\]\{(\d+)\}\$$/;
const CONTEXT_NAMES: Record<string, string> = { querystring: 'query', params: 'path', headers: 'header' };

/** Schemas are our own, typed and compiled in strict mode; holding them against the meta schema took most of the start. */
const AJV_OPTIONS = {
  allErrors: true,
  useDefaults: true,
  validateFormats: false,
  validateSchema: false,
  // A field of one type or another says so in one sentence; as `anyOf` it would be told what it is not, one by one.
  allowUnionTypes: true,
};

interface Part {
  schema: object;
  httpPart?: string;
}
type Compile = (part: Part) => Check;
/** A process that makes many applications, as tests do, compiles each schema once. */
const compilers: { schemas: NamedSchemas; compile: (part: Part) => ValidateFunction }[] = [];

/**
 * Bodies are taken as they are; a query is text by nature, so its numbers and booleans are read from text. What a part refers
 * to may be named later.
 */
export function buildValidator(schemas: NamedSchemas): Compile {
  return (part) => (isAnyPath(part) ? ANY : compileWhenUsed(() => compilerWith(schemas)(part)));
}

const ANY: Check = Object.assign(() => true, { errors: null });
/** What may be said of a text without asking anything of it. */
const SAYINGS = new Set(['type', 'description', 'examples']);

/** Whether every part of the path may be any text: parts of a path are texts, and the router found them all. */
function isAnyPath({ schema, httpPart }: Part): boolean {
  const { properties = {}, ...rest } = schema as { properties?: Record<string, object> };
  return (
    httpPart === 'params' &&
    Object.keys(rest).every((name) => name === 'type' || name === 'required') &&
    Object.values(properties).every(
      (part) => (part as { type?: unknown }).type === 'string' && Object.keys(part).every((name) => SAYINGS.has(name)),
    )
  );
}

function compilerWith(schemas: NamedSchemas) {
  const known = compilers.find((compiler) => hasSame(compiler.schemas, schemas));
  if (known) return known.compile;
  const compile = createCompiler(schemas);
  compilers.push({ schemas: { ...schemas }, compile });
  return compile;
}

/** The very same objects by the same names. */
function hasSame(some: NamedSchemas, others: NamedSchemas): boolean {
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]);
}

function createCompiler(schemas: NamedSchemas) {
  const common = { ...AJV_OPTIONS, schemas: { ...schemas } };
  const strict = new Ajv2020({ ...common, coerceTypes: false });
  // With the schema of what is refused: whoever mistypes a parameter is told the others.
  const fromText = new Ajv2020({ ...common, coerceTypes: true, verbose: true });
  const compiled = new Map<string, ValidateFunction>();
  return ({ schema, httpPart }: Part): ValidateFunction => {
    const isBody = httpPart === 'body';
    const form = `${isBody} ${JSON.stringify(schema)}`;
    const validate = compiled.get(form) ?? (isBody ? strict : fromText).compile(schema);
    compiled.set(form, validate);
    return validate;
  };
}

/**
 * For routes that check some fields of the body themselves, after everything else: those are in the reference and not in
 * the validation.
 */
export function buildValidatorWithout(fields: readonly string[]) {
  const build = buildValidator({});
  return ({ schema, httpPart = '' }: Part) =>
    build({ schema: httpPart === 'body' ? omit(schema, fields) : schema, httpPart });
}

function omit(schema: { properties?: object; required?: string[] }, fields: readonly string[]): object {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !fields.includes(name));
  const required = (schema.required ?? []).filter((name) => !fields.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required };
}

export function validationError(violations: FastifySchemaValidationError[], context = 'body'): AppError {
  const root = CONTEXT_NAMES[context] ?? context;
  const details = violations.slice(0, MAX_DETAILS).map((violation) => describe(violation, root));
  const message = details.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new AppError('validation_failed', message, { details });
}

interface Violation extends FastifySchemaValidationError {
  parentSchema?: { properties?: object };
}

function describe({ instancePath, keyword, params, message, parentSchema }: Violation, root: string): ErrorDetail {
  const missing = keyword === 'required' ? `/${String(params['missingProperty'])}` : '';
  const path = root + `${instancePath}${missing}`.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  return {
    path,
    message: sentence(keyword, params, Object.keys(parentSchema?.properties ?? {})) ?? message ?? 'is not valid',
  };
}

function sentence(keyword: string, params: Record<string, unknown>, known: readonly string[]): string | undefined {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
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
      return `must have at most ${entries(params['limit'])}`;
    case 'additionalProperties': {
      // A field's name is shown where it looks like one: anything may stand there.
      const field = String(params['additionalProperty']);
      const isName = /^[\w-]{1,40}$/.test(field);
      const meant = isName ? findClosestName(field, known) : undefined;
      const others = known.length === 0 ? '' : `; it may have ${known.join(', ')}`;
      const hint = meant === undefined ? others : ` (did you mean ${meant}?)${others}`;
      return `must not have ${isName ? `the field ${field}` : 'fields'} that the reference does not name${hint}`;
    }
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

function entries(count: unknown): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function withArticle(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

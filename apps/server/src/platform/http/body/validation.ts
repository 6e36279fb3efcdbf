// Compiles the checks of requests, and describes what they refuse.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchemaValidationError } from 'fastify';
import { type AppError, invalidFields } from '../../base/errors.ts';
import { type Check, compileWhenUsed, delegateCheck } from '../../json/compile-check.ts';
import { describeViolation } from '../../json/describe-violation.ts';
import { addMaxUnknownFields, boundUnknownFields } from '../../json/unknown-fields.ts';
import { readPlainDecimal, readPlainInteger } from '../../text/plain-numbers.ts';
import { isLargeBody } from './json.ts';
import type { NamedSchemas } from './serialization.ts';

const MAX_DETAILS = 20;
const CONTEXT_NAMES: Record<string, string> = { querystring: 'query', params: 'path', headers: 'header' };

/** The schemas are constants; validating them too took most of the start. */
const AJV_OPTIONS = {
  allErrors: true,
  useDefaults: true,
  validateFormats: false,
  validateSchema: false,
  // Two types in one keyword give one sentence; `anyOf` would give one for each.
  allowUnionTypes: true,
};

interface RequestPart {
  schema: object;
  httpPart?: string;
}
/** Shared by the applications of a process, of which tests open many. */
const compilers: { schemas: NamedSchemas; compile: ReturnType<typeof createCompiler> }[] = [];

/**
 * Numbers and booleans of a query are read from text, by the grammar of `platform/text/plain-numbers.ts`. `schemas` may still grow
 * until the first request.
 */
export function buildValidator(schemas: NamedSchemas) {
  return (part: RequestPart): Check => {
    if (isAnyPath(part)) return () => true;
    const compile = (stopsAtFirst: boolean) => compileWhenUsed(() => cacheCompiler(schemas)(part, stopsAtFirst));
    const check = compile(false);
    if (part.httpPart !== 'body') return check;
    // In a large body, each further mistake would cost time and memory.
    const checkLarge = compile(true);
    return delegateCheck((body) => (isLargeBody(body) ? checkLarge : check));
  };
}

/** Keywords that require nothing of a text. */
const ANNOTATIONS = new Set(['type', 'description', 'examples']);

/** Whether every parameter of the path may be any text; the router has found them all. */
function isAnyPath({ schema, httpPart }: RequestPart): boolean {
  const { properties = {}, ...rest } = schema as { properties?: Record<string, object> };
  return (
    httpPart === 'params' &&
    Object.keys(rest).every((name) => name === 'type' || name === 'required') &&
    Object.values(properties).every(
      (part) =>
        (part as { type?: unknown }).type === 'string' && Object.keys(part).every((name) => ANNOTATIONS.has(name)),
    )
  );
}

function cacheCompiler(schemas: NamedSchemas) {
  const names = Object.keys(schemas);
  const known = compilers.find(
    (compiler) =>
      Object.keys(compiler.schemas).length === names.length &&
      names.every((name) => compiler.schemas[name] === schemas[name]),
  );
  if (known) return known.compile;
  const compile = createCompiler(schemas);
  compilers.push({ schemas: { ...schemas }, compile });
  return compile;
}

function createCompiler(schemas: NamedSchemas) {
  const createAjv = (options: object) => {
    const ajv = new Ajv2020({ ...AJV_OPTIONS, ...options });
    addMaxUnknownFields(ajv);
    for (const schema of Object.values(schemas)) ajv.addSchema(boundUnknownFields(schema));
    return ajv;
  };
  const libraries = new Map<string, Ajv2020>();
  const compiled = new Map<string, Check>();
  return ({ schema, httpPart }: RequestPart, stopsAtFirst: boolean): Check => {
    const isBody = httpPart === 'body';
    // Includes the schema in the errors of a query: the reply to an unknown parameter lists the known ones.
    const options = isBody ? { allErrors: !stopsAtFirst } : { verbose: true };
    const kind = JSON.stringify(options);
    const form = `${kind} ${JSON.stringify(schema)}`;
    const known = compiled.get(form);
    if (known) return known;
    const ajv = libraries.get(kind) ?? createAjv(options);
    libraries.set(kind, ajv);
    const validate = isBody ? ajv.compile(boundUnknownFields(schema)) : readingTexts(schema, ajv.compile(schema));
    compiled.set(form, validate);
    return validate;
  };
}

/** For routes that check some fields of the body themselves: the reference has those fields, the validation does not. */
export function buildValidatorWithout(fields: readonly string[]) {
  const build = buildValidator({});
  return ({ schema, httpPart = '' }: RequestPart) =>
    build({ schema: httpPart === 'body' ? omit(schema, fields) : schema, httpPart });
}

function omit(schema: { properties?: object; required?: string[] }, fields: readonly string[]): object {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !fields.includes(name));
  const required = (schema.required ?? []).filter((name) => !fields.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required };
}

export function validationError(
  violations: FastifySchemaValidationError[],
  context = 'body',
  hintOf: (path: string) => string = () => '',
): AppError {
  const root = CONTEXT_NAMES[context] ?? context;
  const details = violations.slice(0, MAX_DETAILS).map((violation) => {
    const { path, message } = describeViolation(violation, root);
    return { path, message: violation.keyword === 'required' ? `${message}${hintOf(path)}` : message };
  });
  return invalidFields(details);
}

interface TextSchema {
  type?: unknown;
  maximum?: number;
}

/** Returns a check that first reads numbers and booleans from text. A malformed text stays, and the schema refuses it. */
export function readingTexts(schema: object, validate: Check): Check {
  const { properties = {} } = schema as { properties?: Record<string, TextSchema> };
  const typed = Object.entries(properties).filter(([, { type }]) => type !== undefined && type !== 'string');
  if (typed.length === 0) return validate;
  return delegateCheck((value) => {
    const parts = value as Record<string, unknown>;
    for (const [name, part] of typed) {
      const text = parts[name];
      if (typeof text === 'string') parts[name] = readText(text, part) ?? text;
    }
    return validate;
  });
}

function readText(text: string, { type, maximum }: TextSchema): number | boolean | undefined {
  switch (type) {
    case 'integer':
      return readPlainInteger(text, maximum);
    case 'number':
      return readPlainDecimal(text);
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : undefined);
    default:
      return undefined;
  }
}

// Turns schema violations into sentences: where, what is wrong, what would be right.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchemaValidationError } from 'fastify';
import { type AppError, invalidFields } from '../../base/errors.ts';
import { type Check, type CompiledCheck, compileWhenUsed } from '../../json/compile-check.ts';
import { describeViolation } from '../../json/describe-violation.ts';
import { addMaxUnknownFields, boundUnknownFields } from '../../json/unknown-fields.ts';
import { readPlainDecimal, readPlainInteger } from '../../text/plain-numbers.ts';
import { isLargeBody } from './json.ts';
import type { NamedSchemas } from './named-schemas.ts';

const MAX_DETAILS = 20;
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
const compilers: { schemas: NamedSchemas; compile: ReturnType<typeof createCompiler> }[] = [];

/**
 * Bodies are taken as they are; a query is text by nature, so its numbers and booleans are read from text, by the grammar of
 * `platform/text/plain-numbers.ts`. Schemas that a part refers to may be named later.
 */
export function buildValidator(schemas: NamedSchemas): Compile {
  return (part) => {
    if (isAnyPath(part)) return ANY;
    const compile = (stopsAtFirst: boolean) => compileWhenUsed(() => compilerWith(schemas)(part, stopsAtFirst));
    return part.httpPart === 'body' ? chooseBySize(compile(false), compile(true)) : compile(false);
  };
}

/** Lists every mistake in a small body. In a large one, each mistake would cost time and memory. */
function chooseBySize(checkSmall: Check, checkLarge: Check): Check {
  const check: Check = (value) => {
    const chosen = isLargeBody(value) ? checkLarge : checkSmall;
    const isValid = chosen(value);
    check.errors = chosen.errors;
    return isValid;
  };
  check.errors = null;
  return check;
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
  const createAjv = (options: object) => {
    const ajv = new Ajv2020({ ...AJV_OPTIONS, ...options });
    addMaxUnknownFields(ajv);
    for (const schema of Object.values(schemas)) ajv.addSchema(boundUnknownFields(schema));
    return ajv;
  };
  const libraries = new Map<string, Ajv2020>();
  const compiled = new Map<string, CompiledCheck>();
  return ({ schema, httpPart }: Part, stopsAtFirst: boolean): CompiledCheck => {
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

/** `hintOf` says more about a field that is missing. */
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

/** Returns a check that first reads the texts. A text of another form stays a text, and the schema refuses it. */
export function readingTexts(schema: object, validate: CompiledCheck): CompiledCheck {
  const { properties = {} } = schema as { properties?: Record<string, TextSchema> };
  const typed = Object.entries(properties).filter(([, { type }]) => type !== undefined && type !== 'string');
  if (typed.length === 0) return validate;
  const check: CompiledCheck = (given) => {
    const parts = given as Record<string, unknown>;
    for (const [name, part] of typed) {
      const text = parts[name];
      if (typeof text === 'string') parts[name] = readText(text, part) ?? text;
    }
    const isValid = validate(given);
    check.errors = validate.errors;
    return isValid;
  };
  return check;
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

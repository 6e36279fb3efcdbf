// Reads a JSON body by its schema: removes nulls, resolves other spellings, and separates known from unknown fields.
import { findAlias, resolveRef } from '@limen/contract';
import { findMemberText } from '@limen/sdk';
import { invalid } from '../base/errors.ts';
import { findNameFinder, type NameFinder } from '../names/name-finder.ts';

interface Node {
  /** Fields of an object by name; undefined for anything else */
  fields: ReadonlyMap<string, object> | undefined;
  aliases: readonly { name: string; alias: string }[];
  /** Whether any further field is accepted, as in `deviceInfo` */
  isOpen: boolean;
  findName: NameFinder;
  /** Schema of an array's items, or of an object's values under names that the client chooses, if they have fields */
  items: object | undefined;
  /** Bound of the validation; further items are not read */
  maxItems: number;
}

interface FieldSchema {
  type?: unknown;
  properties?: Record<string, object>;
  additionalProperties?: unknown;
  patternProperties?: Record<string, object>;
  items?: unknown;
  maxItems?: number;
  maxProperties?: number;
  anyOf?: object[];
}

const NONE = {};
const nodes = new WeakMap<object, Node>();

function findNode(definition: object): Node {
  const known = nodes.get(definition);
  if (known) return known;
  const schema = resolveRef(definition) as FieldSchema;
  const { properties, maxItems = Number.POSITIVE_INFINITY, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const isArray = isObject(schema.items) && !Array.isArray(schema.items);
  const items = isArray ? (schema.items as object) : Object.values(schema.patternProperties ?? {})[0];
  const node: Node = {
    fields: properties && new Map(Object.entries(properties)),
    aliases: Object.entries(properties ?? {}).flatMap(([name, field]) => {
      const alias = findAlias(field);
      return alias === undefined ? [] : [{ name, alias }];
    }),
    isOpen: schema.additionalProperties === true,
    findName: findNameFinder(properties ?? NONE),
    items: items && (findNode(items).fields ?? findNode(items).items) ? items : undefined,
    maxItems: isArray ? maxItems : maxProperties,
  };
  nodes.set(definition, node);
  return node;
}

/** Whether the client shapes the objects of a schema, such as `metadata`; nothing inside them is read. */
function isFreeForm(schema: object): boolean {
  const { fields, items } = findNode(schema);
  const { type } = resolveRef(schema) as FieldSchema;
  return type === 'object' && fields === undefined && items === undefined;
}

export function hasFields(schema: unknown): schema is object {
  return isObject(schema) && findNode(schema).fields !== undefined;
}

/**
 * Removes fields that are null where the schema does not allow null, and gives fields under another spelling their name.
 * Changes `value`. Throws a validation error if both spellings come with different values.
 */
export function normalizeFields(schema: object, value: unknown, path: string): void {
  const { fields, aliases, items, maxItems } = findNode(schema);
  if (!isObject(value)) return;
  if (fields && !Array.isArray(value)) {
    for (const { name, alias } of aliases) takeAlias(value, name, alias, path);
    for (const [name, field] of fields) {
      if (!Object.hasOwn(value, name)) continue;
      if (value[name] === null && !allowsNull(field)) delete value[name];
      else normalizeFields(field, value[name], `${path}.${name}`);
    }
  } else if (items) {
    for (const [name, item] of firstEntries(value, maxItems)) normalizeFields(items, item, `${path}.${name}`);
  }
}

function takeAlias(value: Record<string, unknown>, name: string, alias: string, path: string): void {
  if (!Object.hasOwn(value, alias)) return;
  const aliasValue = value[alias];
  delete value[alias];
  if (aliasValue === null) return;
  const own = Object.hasOwn(value, name) ? value[name] : null;
  if (own !== null && own !== aliasValue) {
    const message = `and ${path}.${alias} are two spellings of one field and have different values; send one of them`;
    throw invalid(`${path}.${name}`, message);
  }
  value[name] = aliasValue;
}

function allowsNull(definition: object): boolean {
  const { type, anyOf, ...others } = resolveRef(definition) as FieldSchema & { const?: unknown; enum?: unknown[] };
  if (anyOf) return anyOf.some(allowsNull);
  if (others.enum) return others.enum.includes(null);
  if ('const' in others) return others.const === null;
  return type === undefined || [type].flat().includes('null');
}

export interface UnknownField {
  /** Path of the object that has it. */
  path: string;
  name: string;
  /** Finds the known field that was probably meant. Searches at each call. */
  findMeant(): string | undefined;
}

/** Yields the unknown fields, outer ones first, and reads no further than its caller: a body may have a million. */
export function* unknownFields(schema: object, value: unknown, path: string): Generator<UnknownField> {
  const { fields, isOpen, findName, items, maxItems } = findNode(schema);
  if (!isObject(value)) return;
  if (fields && !Array.isArray(value)) {
    const isTaken = (name: string) => Object.hasOwn(value, name) && !('default' in (fields.get(name) ?? NONE));
    for (const name in isOpen ? {} : value) {
      if (!fields.has(name)) yield { path, name, findMeant: () => findName(name, isTaken) };
    }
    for (const [name, field] of fields) {
      if (Object.hasOwn(value, name)) yield* unknownFields(field, value[name], `${path}.${name}`);
    }
  } else if (items) {
    for (const [name, item] of firstEntries(value, maxItems)) yield* unknownFields(items, item, `${path}.${name}`);
  }
}

/** Returns a copy with the fields that the schema names. Free-form values are shared, not copied. */
export function pickKnownFields<Value>(schema: object, value: Value): Value {
  const { fields, items } = findNode(schema);
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return (items ? value.map((item) => pickKnownFields(items, item)) : value) as Value;
  if (!fields) return value;
  const known = Object.entries(value).flatMap(([name, part]) => {
    const field = fields.get(name);
    return field ? [[name, pickKnownFields(field, part)]] : [];
  });
  return Object.fromEntries(known) as Value;
}

/**
 * Writes the known fields in a fixed order, so that equal values give equal texts. `text` is the text of `value`, if known;
 * free-form values are written as their text.
 */
export function writeKnownFields(schema: object, value: unknown, text?: string): string {
  const { fields, items } = findNode(schema);
  if (!isObject(value)) return JSON.stringify(value);
  if (isFreeForm(schema)) return text ?? JSON.stringify(value);
  if (Array.isArray(value)) {
    return items ? `[${value.map((item) => writeKnownFields(items, item)).join(',')}]` : JSON.stringify(value);
  }
  const members = [...(fields ?? [])]
    .filter(([name]) => Object.hasOwn(value, name))
    .map(([name, field]) => {
      // Only objects can hold free-form text, and each search reads the whole text.
      const isSearched = text !== undefined && isObject(value[name]) && !Array.isArray(value[name]);
      const memberText = isSearched ? findMemberText(text, name) : undefined;
      return `${JSON.stringify(name)}:${writeKnownFields(field, value[name], memberText)}`;
    });
  return `{${members.join(',')}}`;
}

function* firstEntries(value: object, most: number): Generator<[string, unknown]> {
  let left = most;
  for (const name in value) {
    if (left-- <= 0) return;
    yield [name, (value as Record<string, unknown>)[name]];
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

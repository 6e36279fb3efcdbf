// Bounds the unknown fields of every open object. JSON schema has no keyword for it: `maxProperties` counts known fields as well.
import { UNKNOWN_FIELDS_MAX } from '@limen/contract';
import type { Ajv2020 } from 'ajv/dist/2020.js';

export type SchemaObject = Readonly<Record<string, unknown>>;

export const MAX_UNKNOWN_FIELDS = 'maxUnknownFields';

/** One copy per schema, because Ajv refuses two schemas with one id. */
const bounded = new WeakMap<object, SchemaObject>();

/** Adds the bound to every object that names its fields and accepts others. */
export function boundUnknownFields(schema: object): SchemaObject {
  const known = bounded.get(schema);
  if (known) return known;
  const copy = mapSchema(schema as SchemaObject, (inner) => {
    const isOpen = inner['properties'] !== undefined && inner['additionalProperties'] !== false;
    return isOpen ? { ...inner, [MAX_UNKNOWN_FIELDS]: UNKNOWN_FIELDS_MAX } : inner;
  });
  bounded.set(schema, copy);
  return copy;
}

export function addMaxUnknownFields(ajv: Ajv2020): void {
  ajv.addKeyword({
    keyword: MAX_UNKNOWN_FIELDS,
    type: 'object',
    schemaType: 'number',
    // The count comes first: a validator that stops at the first error then visits no field.
    before: 'maxProperties',
    compile: (limit: number, { properties }) => {
      const known = properties as object;
      return (value: object) => {
        let unknown = 0;
        for (const name in value) {
          if (!Object.hasOwn(known, name)) unknown += 1;
          if (unknown > limit) return false;
        }
        return true;
      };
    },
  });
}

const MAPS = new Set(['properties', 'patternProperties', '$defs']);
const LISTS = new Set(['prefixItems', 'anyOf', 'oneOf', 'allOf']);
const SINGLE = new Set(['items', 'additionalProperties', 'not']);

/** Copies a schema, and replaces it and every schema inside it by the result of `change`. */
export function mapSchema(schema: SchemaObject, change: (schema: SchemaObject) => SchemaObject): SchemaObject {
  const map = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? mapSchema(value as SchemaObject, change) : value;
  const copied = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (SINGLE.has(keyword)) return [keyword, map(value)];
    if (LISTS.has(keyword)) return [keyword, (value as unknown[]).map(map)];
    if (!MAPS.has(keyword)) return [keyword, value];
    const named = Object.entries(value as object).map(([name, inner]) => [name, map(inner)]);
    return [keyword, Object.fromEntries(named)];
  });
  return change(Object.fromEntries(copied));
}

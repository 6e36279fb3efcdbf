// Bounds the unknown fields of every open object. JSON schema has no keyword for it: `maxProperties` counts known fields as well.
import { UNKNOWN_FIELDS_MAX } from '@limen/contract';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { mapSchema, type Schema } from './map-schema.ts';

export const MAX_UNKNOWN_FIELDS = 'maxUnknownFields';

/** One copy per schema, because Ajv refuses two schemas with one id. */
const bounded = new WeakMap<object, Schema>();

/** Returns the schema with the bound on every object that names its fields and accepts others. Free-form objects name none. */
export function boundUnknownFields(schema: object): Schema {
  const known = bounded.get(schema);
  if (known) return known;
  const copy = mapSchema(schema as Schema, (inner) =>
    isOpen(inner) ? { ...inner, [MAX_UNKNOWN_FIELDS]: UNKNOWN_FIELDS_MAX } : inner,
  );
  bounded.set(schema, copy);
  return copy;
}

function isOpen({ properties, additionalProperties }: Schema): boolean {
  return properties !== undefined && additionalProperties !== false;
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

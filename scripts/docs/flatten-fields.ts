// Flattens the nested fields of an operation for the tables in docs/reference.
import type { Field } from '../../apps/server/src/platform/http/reference/operations.ts';

const MAX_FLAT_DEPTH = 3;

/** Lists fields with their inner fields, as `summary.total` and `PI_list[].puid`. */
export function flattenFields(fields: Field[], prefix = '', depth = 0): Field[] {
  return fields.flatMap((field) => {
    const name = `${prefix}${field.name}`;
    const inner = depth === MAX_FLAT_DEPTH ? [] : field.listFields();
    return [{ ...field, name }, ...flattenFields(inner, `${name}${field.isList ? '[]' : ''}.`, depth + 1)];
  });
}

// Walks JSON schemas.

export type Schema = Readonly<Record<string, unknown>>;

const MAPS = new Set(['properties', 'patternProperties', '$defs']);
const LISTS = new Set(['prefixItems', 'anyOf', 'oneOf', 'allOf']);
const SINGLE = new Set(['items', 'additionalProperties', 'not']);

/** Copies a schema and every schema inside it, each as `change` returns it. Keywords that hold data are kept as they are. */
export function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const map = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? mapSchema(value as Schema, change) : value;
  const copied = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (SINGLE.has(keyword)) return [keyword, map(value)];
    if (LISTS.has(keyword)) return [keyword, (value as unknown[]).map(map)];
    if (!MAPS.has(keyword)) return [keyword, value];
    const named = Object.entries(value as object).map(([name, inner]) => [name, map(inner)]);
    return [keyword, Object.fromEntries(named)];
  });
  return change(Object.fromEntries(copied));
}

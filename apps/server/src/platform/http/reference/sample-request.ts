// Sample requests: a body that fits the schema of an operation, and the call with curl.

type TextMembers = Partial<Record<'$ref' | 'format' | 'description', string>>;
type LimitMembers = Partial<
  Record<'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems', number>
>;

export interface JsonSchema extends TextMembers, LimitMembers {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

export function resolve(schema: JsonSchema | undefined, schemas: Schemas): JsonSchema | undefined {
  return schema?.$ref ? schemas[refName(schema.$ref)] : schema;
}

export function refName(reference: string): string {
  return (reference.split('/').at(-1) ?? reference).replace(/#$/, '');
}

interface SampledOperation {
  method: string;
  path: string;
  /** Names of the security schemes */
  schemes: string[];
  contentType: string | undefined;
  sampleBody: string | undefined;
}

/** Returns a valid value, or a placeholder with the name of the field. */
export function sampleValue(schema: JsonSchema | undefined, schemas: Schemas, name = 'value'): unknown {
  const resolved = resolve(schema, schemas);
  if (!resolved) return null;
  const [example] = resolved.examples ?? [];
  if (example !== undefined) return example;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.enum) return resolved.enum[0];
  if (resolved.anyOf) return sampleValue(resolved.anyOf[0], schemas, name);
  switch (Array.isArray(resolved.type) ? resolved.type[0] : resolved.type) {
    case 'object': {
      const { properties = {}, required = [] } = resolved;
      return Object.fromEntries(required.map((field) => [field, sampleValue(properties[field], schemas, field)]));
    }
    case 'array':
      return Array.from({ length: Math.max(1, resolved.minItems ?? 1) }, () =>
        sampleValue(resolved.items, schemas, name),
      );
    case 'integer':
    case 'number':
      return resolved.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return `<${name}>`;
  }
}

/** Writes lists of numbers, such as vectors, in one line. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/\[[\s\d.,e+-]*\]/g, (numbers) => numbers.replace(/\s+/g, ' '));
}

export function writeCurl({ method, path, schemes, contentType, sampleBody }: SampledOperation): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"$LIMEN${address}"`];
  if (schemes.includes('apiKey')) lines.push('-H "x-api-key: $LIMEN_API_KEY"');
  if (schemes.includes('client')) lines.push('-u "$LIMEN_CLIENT_ID:$LIMEN_CLIENT_SECRET"');
  if (contentType === 'multipart/form-data') lines.push('-F "file=@people.csv;type=text/csv"');
  else if (contentType) {
    const data =
      sampleBody === undefined ? '--data-binary @body' : `-d '${sampleBody.replaceAll("'", String.raw`'\''`)}'`;
    lines.push(`-H "content-type: ${contentType}"`, data);
  }
  return lines.join(' \\\n  ');
}

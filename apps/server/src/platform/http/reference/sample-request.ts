// Sample requests: a body that fits the schema of an operation, and the call in several languages.

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  anyOf?: JsonSchema[];
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
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
  needsApiKey: boolean;
  credentials: 'client' | 'bearer' | undefined;
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

export function writeSamples(operation: SampledOperation) {
  return [
    { language: 'curl', code: writeCurl(operation) },
    { language: 'JavaScript', code: writeFetch(operation) },
  ];
}

const BASE = '$LIMEN';

function writeCurl({ method, path, needsApiKey, credentials, contentType, sampleBody }: SampledOperation): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${BASE}${fillIn(path, (name) => `$${name.toUpperCase()}`)}"`,
  ];
  if (needsApiKey) lines.push('-H "x-api-key: $LIMEN_API_KEY"');
  if (credentials === 'client') lines.push('-u "$LIMEN_CLIENT_ID:$LIMEN_CLIENT_SECRET"');
  if (contentType === 'multipart/form-data') lines.push('-F "file=@people.csv;type=text/csv"');
  else if (sampleBody)
    lines.push(`-H "content-type: ${contentType}" -d '${sampleBody.replaceAll("'", String.raw`'\''`)}'`);
  return lines.join(' \\\n  ');
}

function writeFetch({ method, path, needsApiKey, credentials, contentType, sampleBody }: SampledOperation): string {
  const headers = [
    needsApiKey && "'x-api-key': process.env.LIMEN_API_KEY",
    credentials === 'client' &&
      `authorization: \`Basic \${btoa(\`\${process.env.LIMEN_CLIENT_ID}:\${process.env.LIMEN_CLIENT_SECRET}\`)}\``,
    // fetch itself sets the type of a form, with its boundary.
    sampleBody !== undefined && `'content-type': '${contentType}'`,
  ].filter((header) => header !== false);
  const options = [
    method !== 'GET' && `method: '${method}'`,
    headers.length > 0 && `headers: { ${headers.join(', ')} }`,
    contentType === 'multipart/form-data' && 'body: form',
    sampleBody !== undefined && `body: JSON.stringify(${sampleBody.replaceAll('\n', '\n  ')})`,
  ].filter((option) => option !== false);
  const given = options.length === 0 ? '' : `, {\n  ${options.join(',\n  ')},\n}`;
  const form =
    contentType === 'multipart/form-data'
      ? "const form = new FormData();\nform.set('file', await openAsBlob('people.csv', { type: 'text/csv' }), 'people.csv');\n"
      : '';
  const address = fillIn(path, (name) => `\${${name}}`);
  return `${form}const reply = await fetch(\`\${process.env.LIMEN}${address}\`${given});\nconsole.log(reply.status, await reply.text());`;
}

function fillIn(path: string, write: (name: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => write(name));
}

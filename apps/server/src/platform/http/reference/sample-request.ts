// A request that shows how an operation is called: a body that fits its schema, and the same call in several languages.
import { type JsonSchema, resolve, type Schemas } from './json-schema.ts';

export interface Sample {
  language: string;
  code: string;
}

interface SampledOperation {
  method: string;
  path: string;
  needsApiKey: boolean;
  credentials: 'client' | 'bearer' | undefined;
  /** Of the body, if it has one. */
  contentType: string | undefined;
  sampleBody: string | undefined;
}

/** What cannot be made up is named instead, so that the reader sees what to put there. */
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
    case 'object':
      return sampleObject(resolved, schemas);
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

/** What it needs, and nothing else. */
function sampleObject({ properties = {}, required = [] }: JsonSchema, schemas: Schemas): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, sampleValue(properties[name], schemas, name)]));
}

/** Laid out, but for numbers: a vector takes one line, not hundreds. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/\[[\s\d.,e+-]*\]/g, (numbers) => numbers.replace(/\s+/g, ' '));
}

export function writeSamples(operation: SampledOperation): Sample[] {
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
  // Written as the shell takes it: within single quotes, one ends them, stands escaped, and begins them anew.
  else if (sampleBody)
    lines.push(`-H "content-type: ${contentType}" -d '${sampleBody.replaceAll("'", String.raw`'\''`)}'`);
  return lines.join(' \\\n  ');
}

function writeFetch({ method, path, needsApiKey, credentials, contentType, sampleBody }: SampledOperation): string {
  const headers = [
    needsApiKey && "'x-api-key': process.env.LIMEN_API_KEY",
    credentials === 'client' &&
      `authorization: \`Basic \${btoa(\`\${process.env.LIMEN_CLIENT_ID}:\${process.env.LIMEN_CLIENT_SECRET}\`)}\``,
    // A form's type carries its boundary, which fetch chooses.
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

/** The parameters of a path as variables. */
function fillIn(path: string, write: (name: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => write(name));
}

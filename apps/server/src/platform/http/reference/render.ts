// Lists the operations of the OpenAPI document, for the reference page and docs/reference/api.md.
import { STATUS_CODES } from 'node:http';
import {
  type JsonSchema,
  refName,
  resolve,
  type Schemas,
  sampleValue,
  writeJson,
  writeSamples,
} from './sample-request.ts';

export const COMMON_REPLIES =
  'Any operation can also answer 401 (where an API key is required; send it in `x-api-key`), 405 with `Allow`, 408, 415, ' +
  '429 with `Retry-After`, 431, 500, and 503 with `Retry-After`.';

const MAX_DEPTH = 3;

export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

export type Operation = ReturnType<typeof describe>;

interface OperationObject {
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; schema?: JsonSchema; description?: string }[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: JsonSchema }> }>;
}

interface Document {
  paths?: Record<string, Record<string, OperationObject>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

export function listOperations(openApi: unknown): Operation[] {
  const document = openApi as Document;
  const schemas = document.components?.schemas ?? {};
  return Object.entries(document.paths ?? {})
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => describe(method, path, operation, schemas)),
    )
    .sort((a, b) => a.tag.localeCompare(b.tag));
}

function describe(method: string, path: string, operation: OperationObject, schemas: Schemas) {
  const fieldsOf = (content: Record<string, { schema: JsonSchema }> | undefined) =>
    listFields(Object.values(content ?? {})[0]?.schema, schemas);
  const [contentType] = Object.keys(operation.requestBody?.content ?? {});
  const isJson = contentType === 'application/json';
  const media = isJson ? operation.requestBody?.content[contentType] : undefined;
  const call = {
    method: method.toUpperCase(),
    path,
    needsApiKey: operation.security?.some((scheme) => 'apiKey' in scheme) ?? false,
    credentials: credentialsOf(operation),
    contentType,
    sampleBody: media && writeJson(media.example ?? sampleValue(media.schema, schemas)),
  };
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    place: parameter.in,
    required: parameter.required ?? false,
    type: typeOf(parameter.schema, schemas),
    description: parameter.description ?? '',
  }));
  // A person cannot sign requests of a device.
  const canTry = !parameters.some(({ name }) => name === 'limen-device-signature');
  return {
    ...call,
    id: `${method}${path.replace(/[^a-z0-9]+/gi, '-').replace(/-$/, '')}`,
    tag: operation.tags?.[0] ?? 'Other',
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    canTry,
    parameters,
    body: fieldsOf(operation.requestBody?.content),
    samples: canTry ? writeSamples(call) : [],
    // COMMON_REPLIES describes ranges, such as 4XX.
    replies: Object.entries(operation.responses)
      .filter(([status]) => /^\d+$/.test(status))
      .flatMap(([status, reply]) =>
        describeReply(status, reply, Object.values(reply.content ?? {})[0]?.schema, schemas),
      ),
  };
}

/** Returns the optional credentials besides the API key. */
function credentialsOf({ security = [] }: OperationObject): 'client' | 'bearer' | undefined {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  if (schemes.includes('client')) return 'client';
  return schemes.some((scheme) => scheme === 'bearer' || scheme === 'metricsToken') ? 'bearer' : undefined;
}

function describeReply(
  status: string,
  reply: { description?: string },
  schema: JsonSchema | undefined,
  schemas: Schemas,
) {
  const common =
    reply.description === undefined || reply.description === 'Default Response'
      ? (STATUS_CODES[status] ?? '')
      : reply.description;
  const forms = resolve(schema, schemas)?.anyOf;
  if (!forms) return [{ status, description: common, fields: listFields(schema, schemas) }];
  return forms.map((form) => ({
    status,
    description: resolve(form, schemas)?.description ?? common,
    fields: listFields(form, schemas),
  }));
}

/** Lists fields with their inner fields, as `summary.total` and `PI_list[].puid`. */
export function listFields(schema: JsonSchema | undefined, schemas: Schemas, prefix = '', depth = 0): Field[] {
  const object = resolve(schema, schemas);
  return Object.entries(object?.properties ?? {}).flatMap(([name, property]) => {
    const resolved = resolve(property, schemas);
    const field = {
      name: `${prefix}${name}`,
      type: typeOf(property, schemas),
      required: object?.required?.includes(name) ?? false,
      description: resolved?.description ?? '',
    };
    if (depth === MAX_DEPTH) return [field];
    const inner =
      resolved?.type === 'array'
        ? listFields(resolved.items, schemas, `${field.name}[].`, depth + 1)
        : listFields(property, schemas, `${field.name}.`, depth + 1);
    return [field, ...inner];
  });
}

function typeOf(schema: JsonSchema | undefined, schemas: Schemas): string {
  if (schema?.$ref) return refName(schema.$ref);
  const resolved = resolve(schema, schemas);
  if (!resolved?.type && !resolved?.anyOf && !resolved?.enum && resolved?.const === undefined) return 'any';
  if (resolved.anyOf) return resolved.anyOf.map((option) => typeOf(option, schemas)).join(' | ');
  if (resolved.const !== undefined) return JSON.stringify(resolved.const);
  if (resolved.enum) return resolved.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(resolved.type))
    return resolved.type.map((type) => typeOf(ofType(resolved, type), schemas)).join(' | ');
  if (resolved.type === 'array') return `array of ${typeOf(resolved.items, schemas)}`;
  const range = bounds(resolved.minimum ?? resolved.minLength, resolved.maximum ?? resolved.maxLength);
  const fallback = resolved.default === undefined ? '' : `, default ${String(resolved.default)}`;
  return `${resolved.type}${resolved.format ? ` (${resolved.format})` : ''}${range}${fallback}`;
}

/** Returns a field of several types as one of them, with the bounds of that type. */
function ofType({ minimum, maximum, minLength, maxLength, ...schema }: JsonSchema, type: string): JsonSchema {
  const [low, high] = type === 'string' ? [minLength, maxLength] : [minimum, maximum];
  return { ...schema, type, ...(low !== undefined && { minimum: low }), ...(high !== undefined && { maximum: high }) };
}

function bounds(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return ` ${low}…${high}`;
  if (low !== undefined) return ` ≥ ${low}`;
  return high === undefined ? '' : ` ≤ ${high}`;
}

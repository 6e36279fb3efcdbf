// Lists the operations and webhooks of the OpenAPI document, for the reference pages and docs/reference/api.md.
import { STATUS_CODES } from 'node:http';
import { AREAS } from './areas.ts';
import {
  type JsonSchema,
  refName,
  resolve,
  type Schemas,
  sampleValue,
  writeCurl,
  writeJson,
} from './sample-request.ts';

export const COMMON_REPLIES =
  'Any operation can also answer 401 (where an API key is required; send it in `x-api-key`), 405 with `Allow`, 408, 415, ' +
  '429 with `Retry-After`, 431, 500, and 503 with `Retry-After`.';

export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
  isList: boolean;
  /** Name of the schema of the inner fields, if it has one */
  object: string | undefined;
  /** Reads the inner fields on demand, because schemas can refer to themselves. */
  listFields: () => Field[];
}

export type Operation = ReturnType<typeof describe>;
export type Reply = ReturnType<typeof describeReply>[number];

type MediaTypes = Record<string, { schema: JsonSchema; example?: unknown }>;

export interface ReplyObject {
  description?: string;
  content?: MediaTypes;
  $ref?: string;
}

export interface OperationObject {
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; schema?: JsonSchema; description?: string }[];
  requestBody?: { required?: boolean; content: MediaTypes };
  responses: Record<string, ReplyObject>;
}

export interface OpenApiDocument {
  paths?: Record<string, Record<string, OperationObject>>;
  webhooks?: Record<string, { post: OperationObject }>;
  components?: { schemas?: Record<string, JsonSchema>; responses?: Record<string, ReplyObject> };
}

/** Lists the operations in the order of the areas, and operations with an unknown tag last. */
export function listOperations(openApi: unknown): Operation[] {
  const { paths = {}, components } = openApi as OpenApiDocument;
  const tags = AREAS.flatMap((area) => area.tags);
  const rank = (tag: string) => (tags.includes(tag) ? tags.indexOf(tag) : tags.length);
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        describe(method, path, operation, components?.schemas ?? {}),
      ),
    )
    .sort((a, b) => rank(a.tag) - rank(b.tag));
}

export function listEvents(openApi: unknown): { event: string; when: string; bodies: Reply[] }[] {
  const { webhooks = {}, components } = openApi as OpenApiDocument;
  return Object.entries(webhooks).map(([event, { post }]) => ({
    event,
    when: post.summary ?? '',
    bodies: describeReply('', { content: post.requestBody?.content ?? {} }, components?.schemas ?? {}),
  }));
}

function describe(method: string, path: string, operation: OperationObject, schemas: Schemas) {
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const schemes = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme));
  const parameters = (operation.parameters ?? []).map(({ name, in: place, required = false, schema, description }) => ({
    ...describeField(name, schema, required, schemas),
    place,
    description: description ?? '',
  }));
  const isSigned = parameters.some(({ name }) => name === 'limen-device-signature');
  const call = {
    method: method.toUpperCase(),
    path,
    schemes,
    contentType,
    sampleBody:
      contentType === 'application/json' && media
        ? writeJson(media.example ?? sampleValue(media.schema, schemas))
        : undefined,
  };
  return {
    ...call,
    id: `${method}${path.replace(/[^a-z0-9]+/gi, '-').replace(/-$/, '')}`,
    tag: operation.tags?.[0] ?? 'Other',
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    isSigned,
    parameters,
    body: listFields(media?.schema, schemas),
    // A person cannot sign the requests of a device.
    curl: isSigned ? undefined : writeCurl(call),
    // COMMON_REPLIES describes ranges, such as 4XX.
    replies: Object.entries(operation.responses)
      .filter(([status]) => /^\d+$/.test(status))
      .flatMap(([status, reply]) => describeReply(status, reply, schemas)),
  };
}

function describeReply(status: string, reply: ReplyObject, schemas: Schemas) {
  const schema = Object.values(reply.content ?? {})[0]?.schema;
  const isNamed = reply.description !== undefined && reply.description !== 'Default Response';
  const description = (isNamed ? reply.description : STATUS_CODES[status]) ?? '';
  const resolved = resolve(schema, schemas);
  const forms = resolved?.anyOf ?? resolved?.oneOf;
  return (forms ?? [schema]).map((form, position) => {
    const object = form?.$ref && refName(form.$ref);
    return {
      status,
      object,
      anchor: object ?? `${status}${position === 0 ? '' : `-${position + 1}`}`,
      description: (forms && resolve(form, schemas)?.description) || description || (object ?? ''),
      fields: listFields(form, schemas),
    };
  });
}

export function listFields(schema: JsonSchema | undefined, schemas: Schemas): Field[] {
  const object = resolve(schema, schemas);
  return Object.entries(object?.properties ?? {}).map(([name, property]) =>
    describeField(name, property, object?.required?.includes(name) ?? false, schemas),
  );
}

function describeField(name: string, schema: JsonSchema | undefined, required: boolean, schemas: Schemas): Field {
  const resolved = resolve(schema, schemas);
  const isList = resolved?.type === 'array';
  const options = isList ? [resolved.items] : (resolved?.anyOf ?? [schema]);
  const inner = options.find((option) => resolve(option, schemas)?.properties);
  return {
    name,
    type: typeOf(schema, schemas),
    // A member with a default counts as required in a schema that describes the parsed request.
    required: required && resolved?.default === undefined,
    description: resolved?.description ?? '',
    isList,
    object: inner?.$ref && refName(inner.$ref),
    listFields: () => listFields(inner, schemas),
  };
}

function typeOf(schema: JsonSchema | undefined, schemas: Schemas): string {
  if (schema?.$ref) return refName(schema.$ref);
  const { type, format, anyOf, enum: values, const: value, items, ...limits } = schema ?? {};
  if (anyOf) return anyOf.map((option) => typeOf(option, schemas)).join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  if (values) return values.map((option) => JSON.stringify(option)).join(' | ');
  if (Array.isArray(type)) return type.map((option) => typeOf({ ...schema, type: option }, schemas)).join(' | ');
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: preset } = limits;
  const ranges: Record<string, string> = {
    array: describeRange(minItems, maxItems, ' items'),
    string: describeRange(minLength, maxLength, ' characters'),
  };
  const range = ranges[type ?? ''] ?? describeRange(minimum, maximum, '');
  const parts = [format, range, preset !== undefined && `default ${String(preset)}`].filter(Boolean);
  const details = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return type === 'array' ? `array${details} of ${typeOf(items, schemas)}` : `${type ?? 'any'}${details}`;
}

function describeRange(low: number | undefined, high: number | undefined, unit: string): string {
  if (low === undefined) return high === undefined ? '' : `up to ${high}${unit}`;
  if (low === high) return `exactly ${low}${unit}`;
  return high === undefined ? `at least ${low}${unit}` : `${low} to ${high}${unit}`;
}

// Declares routes of the host API: one description yields the schema, the key check and the common refusals.
import { ErrorReply, ref } from '@limen/contract';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { ApiKeyRecord } from '../api-keys/api-keys.ts';
import type { ProvenKey } from '../api-keys/client-proof.ts';
import {
  type Creation,
  digestContent,
  IDEMPOTENCY_HEADER,
  type IdempotencyInput,
  readIdempotencyKey,
} from '../idempotency/idempotency.ts';
import { type Access, requireCaller, requireClient } from './access.ts';
import { listUnknownFieldWarnings } from './body/read-fields.ts';
import type { Door } from './types.ts';

type Hook = Access['requireApiKey'];

/** `client`: a key with its client credentials, if any. `recognized`: an optional key. `none`: no key. */
interface Callers {
  key: ApiKeyRecord;
  client: ProvenKey;
  recognized: ApiKeyRecord | null;
  none: null;
}
type KeyCheck = keyof Callers;

/** Entries of the checks in the reference */
const DOCUMENTED: Readonly<Partial<Record<KeyCheck, { security: object[]; refusal: string }>>> = {
  key: { security: [{ apiKey: [] }], refusal: 'The API key is missing, unknown or inactive.' },
  client: {
    security: [{ apiKey: [] }, { apiKey: [], client: [] }],
    refusal:
      'The API key is missing, unknown or inactive; or it has client credentials, and they are missing or wrong.',
  },
};
const BODY_ERRORS = { 413: 'The body is too large.', 415: 'The body is not sent as application/json.' };
const USED_KEY = { 422: 'The Idempotency-Key was used with another body.' };

interface HostRoute<Body extends TSchema, Params extends TSchema, Query extends TSchema> {
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  consumes?: readonly string[];
  bodyLimit?: number;
  /** Whether the route takes an idempotency key, and its handler gets `creation`. The handler of a stream reads the key itself. */
  idempotent?: true | 'stream';
  /** Replies by status. A single status is set before the handler runs. */
  reply: Readonly<Record<number, TSchema>>;
  errors?: Readonly<Record<number, string>>;
  config?: FastifyContextConfig;
  preValidation?: (request: FastifyRequest) => Promise<void>;
  /** Replaces the key check and its entry in the reference. */
  guard?: { onRequest: Hook | Hook[]; security?: object[] };
}

interface HostCall<Caller, Body extends TSchema, Params extends TSchema, Query extends TSchema> {
  caller: Caller;
  body: Static<Body>;
  params: Static<Params>;
  query: Static<Query>;
  creation: Creation;
  request: FastifyRequest;
  reply: FastifyReply;
}

type EmptySchema = ReturnType<typeof Type.Object<Record<never, never>>>;

export type AddHostRoute<Kind extends KeyCheck> = <
  Body extends TSchema = EmptySchema,
  Params extends TSchema = EmptySchema,
  Query extends TSchema = EmptySchema,
>(
  name: `${'GET' | 'POST' | 'DELETE'} /${string}`,
  route: HostRoute<Body, Params, Query>,
  handle: (call: HostCall<Callers[Kind], Body, Params, Query>) => unknown,
) => void;

/** Returns a function that adds routes with one tag and one check of callers. */
export function hostRoutes<Kind extends KeyCheck>({ http, access }: Door, tag: string, kind: Kind): AddHostRoute<Kind> {
  const checks: { [K in KeyCheck]: { hook?: Hook; findCaller: (request: FastifyRequest) => Callers[K] } } = {
    key: { hook: access.requireApiKey, findCaller: requireCaller },
    client: { hook: access.requireClient, findCaller: requireClient },
    recognized: { hook: access.recognizeApiKey, findCaller: ({ apiKey }) => apiKey },
    none: { findCaller: () => null },
  };
  const { hook, findCaller } = checks[kind];

  return (name, route, handle) => {
    const [method, url] = name.split(' ') as ['GET' | 'POST' | 'DELETE', string];
    const { body, params, idempotent, preValidation, bodyLimit, config, guard } = route;
    const onRequest = guard?.onRequest ?? hook;
    const statuses = Object.keys(route.reply).map(Number);
    const onlyStatus = statuses.length === 1 ? statuses[0] : undefined;
    http.route({
      method,
      url,
      ...(onRequest && { onRequest }),
      ...(bodyLimit !== undefined && { bodyLimit }),
      ...(config && { config }),
      ...(preValidation && { preValidation }),
      schema: describe(tag, kind, route),
      async handler(request, reply) {
        if (onlyStatus !== undefined && onlyStatus !== 200) reply.code(onlyStatus);
        const result = await handle({
          caller: guard ? (request.apiKey as never) : findCaller(request),
          body: request.body as never,
          params: request.params as never,
          query: request.query as never,
          creation: (idempotent === true &&
            readCreation(request, body as TSchema, params && request.params)) as Creation,
          request,
          reply,
        });
        return result === undefined ? null : result;
      },
    });
  };
}

function describe(tag: string, kind: KeyCheck, route: HostRoute<TSchema, TSchema, TSchema>): object {
  const { summary, description, params, query, body, consumes, idempotent, errors, guard } = route;
  const security = guard ? guard.security : DOCUMENTED[kind]?.security;
  const refusals: Record<number, string> = {
    ...(!guard && DOCUMENTED[kind] && { 401: DOCUMENTED[kind].refusal }),
    ...(body && BODY_ERRORS),
    ...(idempotent && USED_KEY),
    ...errors,
  };
  const described = Object.entries(refusals).map(([status, text]) => [status, ref(ErrorReply, text)]);
  return {
    tags: [tag],
    ...(security && { security }),
    summary,
    ...(description !== undefined && { description }),
    ...(consumes && { consumes }),
    ...(params && { params }),
    ...(idempotent && { headers: Type.Object(IDEMPOTENCY_HEADER) }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: { ...route.reply, ...Object.fromEntries(described) },
  };
}

/** `target` is what the path names; requests for different targets differ. */
export function readRepeatable(
  request: FastifyRequest,
  schema: object,
  target?: unknown,
): IdempotencyInput | undefined {
  const key = readIdempotencyKey(request.headers['idempotency-key']);
  if (key === undefined) return undefined;
  return { key, content: digestContent(schema, request.body, request.bodyText, target) };
}

export function readCreation(request: FastifyRequest, schema: object, target?: unknown): Creation {
  return {
    repeatable: readRepeatable(request, schema, target),
    warned: listUnknownFieldWarnings(schema, request.body),
  };
}

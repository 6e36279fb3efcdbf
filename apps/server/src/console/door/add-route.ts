// Adds a call of the console: guarded as the table says, hidden from the reference, with its body held against a schema, or
// taken as a file.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { invalid } from '../../platform/base/errors.ts';
import { collectBody } from '../../platform/http/body/collect-body.ts';
import { inOwnScope } from '../../platform/http/own-scope.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { findTextProblem } from '../../platform/text/storable.ts';
import { MAX_BODY_BYTES } from '../limits.ts';
import type { Guard } from './guard.ts';
import type { RouteName } from './route-needs.ts';

const Nothing = Type.Object({});

interface Shape<Body extends TSchema, Params extends TSchema, Query extends TSchema> {
  body?: Body;
  params?: Params;
  query?: Query;
}

interface Call<Body extends TSchema, Params extends TSchema, Query extends TSchema> {
  body: Static<Body>;
  params: Static<Params>;
  query: Static<Query>;
  request: FastifyRequest;
  reply: FastifyReply;
}

export type AddRoute = <
  Body extends TSchema = typeof Nothing,
  Params extends TSchema = typeof Nothing,
  Query extends TSchema = typeof Nothing,
>(
  name: RouteName,
  shape: Shape<Body, Params, Query>,
  handle: (call: Call<Body, Params, Query>) => Promise<object>,
) => void;

export function createAddRoute(app: HttpServer, guard: Guard): AddRoute {
  return (name, { body, params = Nothing, query = Nothing }, handle) => {
    const [method, url] = name.split(' ') as ['GET' | 'POST', string];
    app.route({
      method,
      url,
      onRequest: guard(name),
      bodyLimit: MAX_BODY_BYTES,
      // The guard counts those who are not signed in, on every route, by a limit of its own.
      config: { unlimited: true },
      exposeHeadRoute: false,
      schema: {
        hide: true,
        params,
        querystring: closed(query),
        ...(method === 'POST' && { body: closed(body ?? Nothing) }),
      },
      handler: async (request, reply) => {
        refuseUnstorable({ body: request.body, params: request.params, query: request.query });
        return handle({
          body: request.body as never,
          params: request.params as never,
          query: request.query as never,
          request,
          reply,
        });
      },
    });
  };
}

/** Fields that it does not name are refused: a filter with a slip would show everything. */
function closed(schema: TSchema): TSchema {
  return { ...schema, additionalProperties: false };
}

/**
 * Text with NUL is text to SQLite and an error to PostgreSQL, and half of a surrogate pair is another character when it is read
 * again, which breaks the seal of its row. Nothing that somebody means has either.
 */
function refuseUnstorable(given: object, path = ''): void {
  for (const [name, value] of Object.entries(given)) {
    const here = path === '' ? name : `${path}.${name}`;
    const problem = typeof value === 'string' ? findTextProblem(value) : undefined;
    if (problem !== undefined) throw invalid(here, problem);
    if (typeof value === 'object' && value !== null) refuseUnstorable(value, here);
  }
}

interface Upload<Query extends TSchema> {
  query: Static<Query>;
  bytes: Uint8Array;
  request: FastifyRequest;
  reply: FastifyReply;
}

export type AddUpload = <Query extends TSchema>(
  name: RouteName,
  shape: { type: string; maxBytes: number; query: Query },
  handle: (upload: Upload<Query>) => Promise<FastifyReply>,
) => void;

export function createAddUpload(app: HttpServer, guard: Guard): AddUpload {
  return (name, { type, maxBytes, query }, handle) => {
    const [, url] = name.split(' ') as ['POST', string];
    // A scope of its own: this route takes bytes of this type, and nothing else.
    inOwnScope(app, (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        type,
        collectBody((_request, body, done) => done(null, body)),
      );
      scope.route({
        method: 'POST',
        url,
        onRequest: guard(name),
        bodyLimit: maxBytes,
        config: { unlimited: true },
        schema: { hide: true, querystring: closed(query) },
        handler: (request, reply) =>
          handle({ bytes: request.body as Uint8Array, query: request.query as never, request, reply }),
      });
    });
  };
}

// Adds a call of the console: guarded by the table of needs, hidden from the API reference, with a body by schema or a file.
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

export function createAddRoute(app: HttpServer, guard: Guard) {
  return <
    Body extends TSchema = typeof Nothing,
    Params extends TSchema = typeof Nothing,
    Query extends TSchema = typeof Nothing,
  >(
    name: RouteName,
    { body, params, query }: { body?: Body; params?: Params; query?: Query },
    handle: (call: {
      body: Static<Body>;
      params: Static<Params>;
      query: Static<Query>;
      request: FastifyRequest;
      reply: FastifyReply;
    }) => Promise<object>,
  ): void => {
    const [method, url] = name.split(' ') as ['GET' | 'POST', string];
    app.route({
      method,
      url,
      onRequest: guard(name),
      bodyLimit: MAX_BODY_BYTES,
      // The guard has its own limit for callers who are not signed in.
      config: { unlimited: true },
      exposeHeadRoute: false,
      schema: {
        hide: true,
        params: params ?? Nothing,
        querystring: closed(query ?? Nothing),
        ...(method === 'POST' && { body: closed(body ?? Nothing) }),
      },
      handler: async (request, reply) => {
        const input = { body: request.body, params: request.params, query: request.query };
        refuseUnstorable(input);
        return handle({ ...(input as { body: never; params: never; query: never }), request, reply });
      },
    });
  };
}

/** Refuses unknown fields: a filter with a typo would show everything. */
function closed(schema: TSchema): TSchema {
  return { ...schema, additionalProperties: false };
}

/** PostgreSQL rejects NUL. A lone surrogate is read back changed, which breaks the seal of its row. */
function refuseUnstorable(input: object, path = ''): void {
  for (const [name, value] of Object.entries(input)) {
    const here = path === '' ? name : `${path}.${name}`;
    const problem = typeof value === 'string' ? findTextProblem(value) : undefined;
    if (problem !== undefined) throw invalid(here, problem);
    if (typeof value === 'object' && value !== null) refuseUnstorable(value, here);
  }
}

export function createAddUpload(app: HttpServer, guard: Guard) {
  return <Query extends TSchema>(
    name: RouteName,
    { type, maxBytes, query }: { type: string; maxBytes: number; query: Query },
    handle: (upload: {
      query: Static<Query>;
      bytes: Uint8Array;
      request: FastifyRequest;
      reply: FastifyReply;
    }) => Promise<FastifyReply>,
  ): void => {
    const [, url] = name.split(' ') as ['POST', string];
    // In its own scope, where only this content type is accepted.
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

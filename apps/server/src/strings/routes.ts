// HTTP of the string store.
import {
  CreatedString,
  CreateStringRequest,
  ErrorReply,
  ListStringsQuery,
  ref,
  STRING_MAX_CODE_POINTS,
  STRING_PAGE_DEFAULT,
  StringPage,
  StringRecord,
} from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { NO_OWNER, nameOf, type OwnerName, ownerOf } from '../platform/api-keys/owner.ts';
import type { Access } from '../platform/http/access.ts';
import { readCreation } from '../platform/http/body/read-creation.ts';
import type { HttpServer } from '../platform/http/types.ts';
import { IDEMPOTENCY_HEADER } from '../platform/idempotency/header.ts';
import type { Strings } from './service.ts';

/** The longest value with every code point written as a pair of \\uXXXX escapes, and room around it. */
const BODY_LIMIT = STRING_MAX_CODE_POINTS * 12 + 4 * 1024;

const IdPath = Type.Object({ id: Type.String({ description: 'The record’s id.' }) });

interface StringRoutes {
  strings: Strings;
  access: Access;
  /** Whether an API key is asked for; then each customer sees only its own strings. */
  closed: boolean;
}

export function registerStringRoutes(app: HttpServer, { strings, access, closed }: StringRoutes): void {
  const tags = ['String store'];
  const security = closed ? { security: [{ apiKey: [] }] } : {};
  const refusals = closed ? { 401: ref(ErrorReply, 'The API key is missing, unknown or inactive.') } : {};
  const notFound = ref(ErrorReply, 'There is no such string, or it belongs to another customer or world.');

  const guard = closed ? { onRequest: access.requireApiKey } : {};

  app.post(
    '/strings',
    {
      ...guard,
      bodyLimit: BODY_LIMIT,
      schema: {
        tags,
        ...security,
        summary: 'Create a string',
        headers: Type.Object(IDEMPOTENCY_HEADER),
        body: CreateStringRequest,
        response: {
          201: ref(CreatedString, 'Created and saved to disk.'),
          400: ref(ErrorReply, 'The body is not JSON, or the value cannot be stored.'),
          ...refusals,
          413: ref(ErrorReply, 'The body is larger than even the longest value needs.'),
          415: ref(ErrorReply, 'The body is not sent as application/json.'),
          422: ref(ErrorReply, 'The Idempotency-Key was used with another body.'),
          507: ref(ErrorReply, 'The store is full.'),
        },
      },
    },
    async (request, reply) => {
      const creation = readCreation(request, CreateStringRequest);
      const record = await strings.create(callerName(request), request.body.value, creation);
      return reply.code(201).header('location', `/strings/${record.id}`).send(record);
    },
  );

  app.get(
    '/strings',
    {
      ...guard,
      config: { countsReply: true },
      schema: {
        tags,
        ...security,
        summary: 'List strings',
        description:
          'Newest first. Follow `nextCursor` until it is absent: every record that exists throughout comes exactly once, whatever others write or delete in the meantime.',
        querystring: ListStringsQuery,
        response: {
          200: ref(StringPage, 'One page.'),
          400: ref(ErrorReply, 'The limit or cursor is not valid.'),
          ...refusals,
        },
      },
    },
    async (request) => {
      const { limit = STRING_PAGE_DEFAULT, cursor } = request.query;
      return strings.list(callerName(request), limit, cursor);
    },
  );

  app.get(
    '/strings/:id',
    {
      ...guard,
      schema: {
        tags,
        ...security,
        summary: 'Get one string',
        params: IdPath,
        response: { 200: ref(StringRecord, 'The string.'), ...refusals, 404: notFound },
      },
    },
    (request) => strings.get(callerName(request), request.params.id),
  );

  app.delete(
    '/strings/:id',
    {
      ...guard,
      schema: {
        tags,
        ...security,
        summary: 'Delete one string',
        params: IdPath,
        response: { 204: Type.Null({ description: 'Deleted.' }), ...refusals, 404: notFound },
      },
    },
    async (request, reply) => {
      await strings.delete(callerName(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}

function callerName({ apiKey }: FastifyRequest): OwnerName {
  return apiKey ? nameOf(ownerOf(apiKey)) : NO_OWNER;
}

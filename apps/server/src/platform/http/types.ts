// The server that features are mounted on, as they know it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Access } from './access.ts';

export type HttpServer = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Entry to a part: the server that takes its routes, and the check of API keys. */
export interface Door {
  http: HttpServer;
  access: Access;
}

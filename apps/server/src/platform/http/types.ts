// Types of the server and its requests, as features see them.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ApiKeyRecord } from '../api-keys/api-keys.ts';
import type { ProvenKey } from '../api-keys/client-proof.ts';
import type { Access } from './access.ts';
import type { ByteAllowance } from './limits/byte-budget.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller's key on routes that require one, otherwise null */
    apiKey: ApiKeyRecord | null;
    /** Caller's key if the client credentials were checked */
    provenKey: ProvenKey | null;
    /** Caller's id for tracking, on routes that take one */
    correlationId: string | null;
    /** Text of the body's member that the route keeps, if any */
    memberText: string | null;
    /** Text of a JSON body with an idempotency key, otherwise null */
    bodyText: string | null;
    bodyLimit: number;
    /** Memory that the body takes as it arrives; null until it is read, and for a request without a body */
    bodyRoom: ByteAllowance | null;
  }
  interface FastifyContextConfig {
    /** Exempt from the common rate limit: probes, because a busy client must not make one fail, pages, and areas with their own limit */
    unlimited?: true;
    keepsTextOf?: string;
    /** Whether the route reads its body itself, as a stream or a form. An empty body keeps its content type. */
    readsBody?: true;
    /** Whether the bytes of the reply count until the client has read it, because it may be large */
    countsReply?: true;
  }
}

export type HttpServer = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Server that takes the routes of a part, and the check of API keys */
export interface Door {
  http: HttpServer;
  access: Access;
}

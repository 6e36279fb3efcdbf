// The server that features are mounted on, as they know it, and what a request carries for them.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ApiKeyRecord } from '../api-keys/api-keys.ts';
import type { ProvenKey } from '../api-keys/client-proof.ts';
import type { Access } from './access.ts';
import type { Room } from './limits/byte-budget.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's key on routes that ask for one, otherwise null. */
    apiKey: ApiKeyRecord | null;
    /** The same key where the caller has proved to be its client. */
    provenKey: ProvenKey | null;
    /** The caller's own id for tracking, on routes that take one. */
    correlationId: string | null;
    /** The text of the body's member that the route keeps; null where it keeps none or the body has none. */
    memberText: string | null;
    /** The text of the JSON body; null unless an idempotency key came with it. */
    bodyText: string | null;
    /** Bytes that the route allows for a body. */
    bodyLimit: number;
    /** The room that the body takes as it arrives; null until it is about to be read, and for a request without a body. */
    bodyRoom: Room | null;
  }
  interface FastifyContextConfig {
    /**
     * Not counted by the common rate limit: probes and pages, because a busy client must not make a health check fail,
     * and areas with a limit of their own.
     */
    unlimited?: true;
    /** Name of a free-form member of the body that is kept as the text that came, not as its value. */
    keepsTextOf?: string;
    /** The route reads its body itself, as a stream or a form. An empty one keeps its content type. */
    readsBody?: true;
    /** The reply may be large: its bytes count until the client has read it. */
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

/** Entry to a part: the server that takes its routes, and the check of API keys. */
export interface Door {
  http: HttpServer;
  access: Access;
}

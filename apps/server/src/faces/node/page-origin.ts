// Lets the launch page call the biometric node when the two live at different addresses; no other page may.
import type { FastifyInstance } from 'fastify';
import type { HttpServer } from '../../platform/http/types.ts';

const ALLOWED_HEADERS =
  'content-type, x-api-key, x-correlation-id, x-encoding, x-encryption-version, x-request-id, idempotency-key';
const EXPOSED_HEADERS =
  'x-request-id, x-correlation-id, x-error-code, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset';
const PREFLIGHT_SECONDS = '600';

/** `origin` is that of the launch page. */
export function allowPageOrigin(app: HttpServer, origin: string, isNodePath: (path: string) => boolean): void {
  (app as unknown as FastifyInstance).addHook('onRequest', (request, reply, done) => {
    if (isNodePath(request.url)) {
      reply.header('vary', 'origin');
      if (request.headers.origin === origin) {
        reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS });
      }
    }
    done();
  });
  app.options('/node/*', { schema: { hide: true }, config: { unlimited: true } }, async (request, reply) => {
    if (request.headers.origin === origin) {
      reply.headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': ALLOWED_HEADERS,
        'access-control-max-age': PREFLIGHT_SECONDS,
      });
    }
    return reply.code(204).send();
  });
}

// HTTP routes of the face models: the manifest, and the files themselves.
import { createReadStream } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/base/errors.ts';
import { acceptsGzip } from '../../platform/http/body/negotiation.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Models } from './open.ts';

const REVALIDATE = 'no-cache';
const FOREVER = 'public, max-age=31536000, immutable';

export function registerModelRoutes(
  app: HttpServer,
  models: Pick<Models, 'manifest' | 'find' | 'locate' | 'waitSeconds'>,
): void {
  const options = { config: { unlimited: true }, schema: { hide: true } } as const;

  app.get('/launch/models/manifest.json', options, async (request, reply) => {
    const { text, hash } = models.manifest;
    reply.headers({ 'cache-control': REVALIDATE, etag: `"${hash}"` });
    if (isCached(request, hash)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(text);
  });

  app.route<{ Params: { file: string }; Querystring: { v?: unknown } }>({
    // An explicit HEAD: the automatic one would read the whole file.
    method: ['GET', 'HEAD'],
    url: '/launch/models/:file',
    ...options,
    handler: async (request, reply) => {
      // Only names from the manifest become part of a path.
      const model = models.find(request.params.file);
      if (!model) throw new AppError('not_found', 'There is no such model; /launch/models/manifest.json lists them.');
      const file = await models.locate(model, acceptsGzip(request.headers['accept-encoding']));
      if (!file) {
        throw new AppError('unavailable', 'The face models are still being prepared; try again in a moment.', {
          headers: { 'retry-after': String(models.waitSeconds()) },
        });
      }
      reply.headers({
        'cache-control': request.query.v === model.sha256 ? FOREVER : REVALIDATE,
        'cross-origin-resource-policy': 'same-origin',
        etag: `"${model.sha256}${file.gzip ? '-gzip' : ''}"`,
        vary: 'accept-encoding',
      });
      if (isCached(request, model.sha256)) return reply.code(304).send();
      reply.type('application/octet-stream').header('content-length', file.bytes);
      if (file.gzip) reply.header('content-encoding', 'gzip');
      return request.method === 'HEAD' ? reply.send() : reply.send(createReadStream(file.path));
    },
  });
}

/** Looks for the hash anywhere in the header, because it is long enough to be unambiguous. */
function isCached(request: FastifyRequest, hash: string): boolean {
  return request.headers['if-none-match']?.includes(hash) ?? false;
}

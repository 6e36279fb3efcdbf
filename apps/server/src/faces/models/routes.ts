// The face models as the launch page fetches them: what there is, and the files themselves.
import { createReadStream } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/base/errors.ts';
import { acceptsGzip } from '../../platform/http/body/negotiation.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Models } from './open.ts';

/** It is asked each time whether it changed. */
const ASK_AGAIN = 'no-cache';
/** For an address that names the content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

type ServedModels = Pick<Models, 'manifest' | 'find' | 'locate' | 'waitSeconds'>;

export function registerModelRoutes(app: HttpServer, models: ServedModels): void {
  const options = { config: { unlimited: true }, schema: { hide: true } } as const;

  app.get('/launch/models/manifest.json', options, async (request, reply) => {
    const { text, hash } = models.manifest;
    const headers = { 'cache-control': ASK_AGAIN, etag: `"${hash}"` };
    if (isKnown(request, hash)) return reply.code(304).headers(headers).send();
    return reply.headers(headers).type('application/json; charset=utf-8').send(text);
  });

  app.route<{ Params: { file: string }; Querystring: { v?: unknown } }>({
    // HEAD of its own: made from GET it would read the whole file.
    method: ['GET', 'HEAD'],
    url: '/launch/models/:file',
    ...options,
    handler: async (request, reply) => {
      // Only names of the manifest are ever put into a path.
      const model = models.find(request.params.file);
      if (!model) throw new AppError('not_found', 'There is no such model; /launch/models/manifest.json lists them.');
      const found = await models.locate(model, acceptsGzip(request.headers['accept-encoding']));
      if (!found) {
        throw new AppError('unavailable', 'The face models are still being prepared; try again in a moment.', {
          headers: { 'retry-after': String(models.waitSeconds()) },
        });
      }
      reply.headers({
        'cache-control': request.query.v === model.sha256 ? FOR_EVER : ASK_AGAIN,
        'cross-origin-resource-policy': 'same-origin',
        etag: `"${model.sha256}${found.gzip ? '-gzip' : ''}"`,
        vary: 'accept-encoding',
      });
      if (isKnown(request, model.sha256)) return reply.code(304).send();
      reply.type('application/octet-stream').header('content-length', found.bytes);
      if (found.gzip) reply.header('content-encoding', 'gzip');
      return sendFile(request, reply, found.path);
    },
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
  return request.method === 'HEAD' ? reply.send() : reply.send(createReadStream(path));
}

/** The hash is long enough to be found by looking for it, in whatever form it came. */
function isKnown(request: FastifyRequest, hash: string): boolean {
  return request.headers['if-none-match']?.includes(hash) ?? false;
}

// Serves a built page and its files: compressed if the client accepts it, and 304 if the client has them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../base/errors.ts';
import { pickEncoding } from '../body/negotiation.ts';
import type { HttpServer } from '../types.ts';
import type { PageFile, PageFiles } from './files.ts';
import { type Page, sendPage } from './page.ts';

type HeaderValues = Readonly<Record<string, string>>;

export interface BuiltPageOptions {
  /** `/launch`; the files are at `/launch/assets/…`. */
  path: string;
  files: PageFiles;
  headers: {
    page: HeaderValues | ((request: FastifyRequest) => Promise<HeaderValues>);
    /** Headers of scripts: a worker follows the policy of its own reply, not of the page. */
    script: HeaderValues;
  };
  onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  missing: Page;
}

export function registerBuiltPage(app: HttpServer, built: BuiltPageOptions): void {
  const { path, files, headers, missing, onRequest = async () => {} } = built;
  // Fastify's HEAD for a GET route would read the whole file.
  const options = { method: ['GET', 'HEAD'], onRequest, config: { unlimited: true as const }, schema: { hide: true } };
  app.addHook('onClose', async () => files.close());

  app.route({
    ...options,
    url: path,
    // A page that queries the database counts against the rate limit.
    config: typeof headers.page === 'function' ? {} : options.config,
    handler: async (request, reply) => {
      if (!files.page) return sendPage(reply.code(503), missing);
      const own = typeof headers.page === 'function' ? await headers.page(request) : headers.page;
      return sendFile(request, reply.headers({ ...own, 'cache-control': 'no-cache' }), files.page);
    },
  });

  // A final slash, typed or in LAUNCH_URL. The page's links are relative to the address without it; browsers keep the fragment.
  app.route({
    ...options,
    url: `${path}/`,
    handler: async ({ url }, reply) => {
      const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
      return reply.header('cache-control', 'no-store').redirect(`..${path}${query}`);
    },
  });

  app.route<{ Params: { file: string } }>({
    ...options,
    url: `${path}/assets/:file`,
    handler: async (request, reply) => {
      const file = files.findAsset(request.params.file);
      if (!file) throw new AppError('not_found', 'The page has no such file; load the page again.');
      if (file.type.startsWith('text/javascript')) reply.headers(headers.script);
      return sendFile(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), file);
    },
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  const encoding = pickEncoding(request.headers['accept-encoding'], file.compressed);
  const content = (encoding && file.compressed.get(encoding)) ?? file.plain;
  reply.headers({ etag: `"${file.sha256}${encoding ? `-${encoding}` : ''}"`, vary: 'accept-encoding' });
  // Matches the hash in any form of the header, such as a list.
  if (request.headers['if-none-match']?.includes(file.sha256)) return reply.code(304).send();
  reply.type(file.type).header('content-length', content.bytes);
  if (encoding) reply.header('content-encoding', encoding);
  return request.method === 'HEAD' ? reply.send() : reply.send(content.open());
}

// Serves a built page and its files from their list: compressed where the client takes it, and not twice.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../base/errors.ts';
import { pickEncoding } from '../body/negotiation.ts';
import type { HttpServer } from '../types.ts';
import type { PageFile, PageFiles } from './files.ts';
import { type Page, sendPage } from './page.ts';

/** It is asked each time whether it changed. */
const ASK_AGAIN = 'no-cache';
/** For names that carry a hash of the content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

type HeaderValues = Readonly<Record<string, string>>;

export interface BuiltPageOptions {
  /** `/launch`; the files are at `/launch/assets/…`. */
  path: string;
  files: PageFiles;
  headers: {
    /** The same for everyone, or what fits the request. */
    page: HeaderValues | ((request: FastifyRequest) => Promise<HeaderValues>);
    /** Of scripts: one that runs as a worker is held to what came with itself, not to the page's. */
    script: HeaderValues;
  };
  /** Rejects a request that may not see the page, or answers it. */
  onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  /** Shown with 503 where there is no build. */
  missing: Page;
}

/** Closes the files with the server. */
export function registerBuiltPage(app: HttpServer, built: BuiltPageOptions): void {
  const { path, files, headers, missing, onRequest = async () => {} } = built;
  // HEAD of its own: made from GET it would read the whole file.
  const options = { method: ['GET', 'HEAD'], onRequest, config: { unlimited: true }, schema: { hide: true } } as const;
  app.addHook('onClose', async () => files.close());

  app.route({
    ...options,
    method: [...options.method],
    url: path,
    // What asks the database is counted like any other request.
    config: typeof headers.page === 'function' ? {} : options.config,
    handler: async (request, reply) => {
      if (!files.page) return sendPage(reply.code(503), missing);
      const own = typeof headers.page === 'function' ? await headers.page(request) : headers.page;
      return sendFile(request, reply.headers({ ...own, 'cache-control': ASK_AGAIN }), files.page);
    },
  });

  // A final slash, typed or in LAUNCH_URL. The page's own links are relative to the address without it; browsers keep the fragment.
  app.route({
    ...options,
    method: [...options.method],
    url: `${path}/`,
    handler: async ({ url }, reply) => {
      const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
      return reply.header('cache-control', 'no-store').redirect(`..${path}${query}`);
    },
  });

  app.route<{ Params: { file: string } }>({
    ...options,
    method: [...options.method],
    url: `${path}/assets/:file`,
    handler: async (request, reply) => {
      const file = files.findAsset(request.params.file);
      if (!file) throw new AppError('not_found', 'The page has no such file; load the page again.');
      if (file.type.startsWith('text/javascript')) reply.headers(headers.script);
      return sendFile(request, reply.header('cache-control', FOR_EVER), file);
    },
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  const encoding = pickEncoding(request.headers['accept-encoding'], file.compressed);
  const content = (encoding && file.compressed.get(encoding)) ?? file.plain;
  reply.headers({ etag: `"${file.sha256}${encoding ? `-${encoding}` : ''}"`, vary: 'accept-encoding' });
  // The hash is long enough to be found by looking for it, in whatever form it came.
  if (request.headers['if-none-match']?.includes(file.sha256)) return reply.code(304).send();
  reply.type(file.type).header('content-length', content.bytes);
  if (encoding) reply.header('content-encoding', encoding);
  return request.method === 'HEAD' ? reply.send() : reply.send(content.open());
}

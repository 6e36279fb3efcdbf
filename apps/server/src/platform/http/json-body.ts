// Parses JSON bodies strictly: real UTF-8 only, no keys that reach into prototypes, an empty body is no body.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import secureJsonParse from 'secure-json-parse';
import { AppError } from '../errors.ts';

export function useStrictJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    try {
      done(null, parseJson(body));
    } catch (error) {
      done(error as Error);
    }
  });
}

export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) {
    // Decoding would silently replace the bad bytes and store something the client never sent.
    throw new AppError('malformed_request', 'The body is not valid UTF-8; send JSON encoded as UTF-8.');
  }
  try {
    return secureJsonParse(body.toString('utf8'), undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw new AppError('malformed_request', `The body is not usable JSON: ${reasonOf(error)}.`);
  }
}

/** The parser's own message quotes the body, which may be personal: only its kind and position are passed on. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/forbidden prototype/i.test(message)) return 'it has a forbidden key (__proto__ or constructor.prototype)';
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `it stops being JSON at character ${position}`;
  return /end of/i.test(message) ? 'it ends too early' : 'it cannot be parsed';
}

// Parses JSON bodies strictly: real UTF-8 only, not too deep, no keys that reach into prototypes, an empty body is no body.
// A member that is kept as its text may have any keys: its value is dropped before anything could use it.
import { isUtf8 } from 'node:buffer';
import { findMemberText } from '@limen/sdk';
import type { FastifyInstance } from 'fastify';
import secureJsonParse from 'secure-json-parse';
import { AppError } from '../../errors.ts';

/** Far more than anybody writes, and far less than what writes it out again, level by level, can go down into. */
export const MAX_JSON_DEPTH = 200;

export function useStrictJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      const { keepsTextOf } = request.routeOptions.config;
      const value = parseJson(body, keepsTextOf);
      const text = body.toString('utf8');
      if (keepsTextOf !== undefined) request.memberText = findMemberText(text, keepsTextOf) ?? null;
      if (request.headers['idempotency-key'] !== undefined) request.bodyText = text;
      done(null, value);
    } catch (error) {
      done(error as Error);
    }
  });
}

/** `keptAsText` is the member that the caller keeps as its text: an object there is returned as an empty one. */
export function parseJson(body: Buffer, keptAsText?: string): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) {
    // Decoding would silently replace the bad bytes and store something the client never sent.
    throw new AppError('malformed_request', 'The body is not valid UTF-8; send JSON encoded as UTF-8.');
  }
  if (isTooDeep(body)) {
    throw new AppError('malformed_request', `The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  try {
    const text = body.toString('utf8');
    if (keptAsText === undefined) return secureJsonParse(text, undefined, REFUSE_PROTOTYPES);
    const value: unknown = secureJsonParse(text, undefined, TAKE_PROTOTYPES);
    if (typeof value !== 'object' || value === null) return value;
    if (isObject((value as Record<string, unknown>)[keptAsText])) Object.assign(value, { [keptAsText]: {} });
    return secureJsonParse.scan(value, REFUSE_PROTOTYPES);
  } catch (error) {
    throw new AppError('malformed_request', `The body is not usable JSON: ${reasonOf(error)}.`);
  }
}

const REFUSE_PROTOTYPES = { protoAction: 'error', constructorAction: 'error' } as const;
const TAKE_PROTOTYPES = { protoAction: 'ignore', constructorAction: 'ignore' } as const;

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Before it is parsed, so that nothing ever walks it. Of what is no JSON it may say anything; the parser refuses that. */
function isTooDeep(body: Buffer): boolean {
  if (body.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (inText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** The parser's own message quotes the body, which may be personal: only its kind and position are passed on. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/forbidden prototype/i.test(message)) return 'it has a forbidden key (__proto__ or constructor.prototype)';
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `it stops being JSON at character ${position}`;
  return /end of/i.test(message) ? 'it ends too early' : 'it cannot be parsed';
}

// Parses JSON bodies strictly: valid UTF-8, bounded depth and members, no keys that reach into prototypes. A member that is kept as
// its text may have any keys, because its value is dropped before anything could use it.
import { isUtf8 } from 'node:buffer';
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from '@limen/contract';
import { findMemberText } from '@limen/sdk';
import secureJsonParse from 'secure-json-parse';
import { AppError } from '../../base/errors.ts';
import type { HttpServer } from '../types.ts';
import { collectBody } from './collect-body.ts';

/** Larger bodies are validated up to the first mistake. */
export const LARGE_BODY_BYTES = 64 * 1024;
const largeBodies = new WeakSet<object>();

export function isLargeBody(value: unknown): boolean {
  return typeof value === 'object' && value !== null && largeBodies.has(value);
}

export function useStrictJson(app: HttpServer): void {
  app.removeAllContentTypeParsers();
  const parse = collectBody((request, body, done) => {
    const { keepsTextOf } = request.routeOptions.config;
    const value = parseJson(body, keepsTextOf);
    const text = body.toString('utf8');
    if (keepsTextOf !== undefined) request.memberText = findMemberText(text, keepsTextOf) ?? null;
    if (request.headers['idempotency-key'] !== undefined) request.bodyText = text;
    done(null, value);
  });
  app.addContentTypeParser('application/json', parse);
}

/** Returns undefined for an empty body. An object in the member `keptAsText` becomes an empty object. */
export function parseJson(body: Buffer, keptAsText?: string): unknown {
  if (body.length === 0) return undefined;
  // Decoding would silently replace invalid bytes.
  if (!isUtf8(body)) {
    throw new AppError('malformed_request', 'The body is not valid UTF-8; send JSON encoded as UTF-8.');
  }
  const excess = findExcess(body);
  if (excess !== undefined) throw new AppError('malformed_request', `The body ${excess}.`);
  try {
    const text = body.toString('utf8');
    const value = parseText(text, keptAsText);
    if (body.length > LARGE_BODY_BYTES && isObject(value)) largeBodies.add(value);
    return value;
  } catch (error) {
    throw new AppError('malformed_request', `The body is not usable JSON: ${describeSyntaxError(error)}.`);
  }
}

const REFUSE_PROTOTYPES = { protoAction: 'error', constructorAction: 'error' } as const;
const TAKE_PROTOTYPES = { protoAction: 'ignore', constructorAction: 'ignore' } as const;

function parseText(text: string, keptAsText: string | undefined): unknown {
  if (keptAsText === undefined) return secureJsonParse(text, undefined, REFUSE_PROTOTYPES);
  const value: unknown = secureJsonParse(text, undefined, TAKE_PROTOTYPES);
  if (!isObject(value)) return value;
  const kept = (value as Record<string, unknown>)[keptAsText];
  if (isObject(kept) && !Array.isArray(kept)) Object.assign(value, { [keptAsText]: {} });
  return secureJsonParse.scan(value, REFUSE_PROTOTYPES);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Describes how the body exceeds a bound, before it is parsed. Visits each byte once. The result for malformed JSON is arbitrary; the
 * parser refuses that.
 */
function findExcess(body: Buffer): string | undefined {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = skipText(body, at);
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) return `is nested deeper than ${JSON_DEPTH_MAX} levels`;
      const next = body[at + 1];
      if (next !== CLOSE_ARRAY && next !== CLOSE_OBJECT) members += 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA) members += 1;
    if (members > JSON_MEMBERS_MAX) return `has more than ${JSON_MEMBERS_MAX} fields and list entries`;
  }
  return undefined;
}

function skipText(body: Buffer, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Returns kind and position only: the parser's message quotes the body, which may be personal. */
function describeSyntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/forbidden prototype/i.test(message)) return 'it has a forbidden key (__proto__ or constructor.prototype)';
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `it stops being JSON at character ${position}`;
  return /end of/i.test(message) ? 'it ends too early' : 'it cannot be parsed';
}

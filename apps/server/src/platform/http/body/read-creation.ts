// Reads what a creating call says besides its fields: the idempotency key, and the fields that were ignored.
import type { FastifyRequest } from 'fastify';
import { type Creation, digestContent, type Repeatable, readIdempotencyKey } from '../../idempotency/idempotency.ts';
import { warnOfUnknownFields } from './read-fields.ts';

/** `target` is what the path names; two requests for different targets are not the same. */
export function readRepeatable(request: FastifyRequest, schema: object, target?: unknown): Repeatable | undefined {
  const key = readIdempotencyKey(request.headers['idempotency-key']);
  if (key === undefined) return undefined;
  return { key, content: digestContent({ schema, body: request.body, text: request.bodyText, target }) };
}

export function readCreation(request: FastifyRequest, schema: object, target?: unknown): Creation {
  return { repeatable: readRepeatable(request, schema, target), warned: warnOfUnknownFields(schema, request.body) };
}

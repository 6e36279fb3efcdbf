// Reads a reply: returns its result or throws its error.
import type { ErrorCode, ErrorDetail } from '@limen/contract';
import { LimenError, type LimenErrorCode } from '../errors.ts';

/** The Retry-After header (RFC 9110, 10.2.3): seconds, or a date. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Returns whole seconds from `now`, or undefined if the header is absent or invalid. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  // Accepts only the current date format, because Date.parse accepts almost anything, including
  // "-5".
  const at = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

export interface Reply {
  status: number;
  headers: Headers;
  /** Body as received. */
  text: string;
  /** Parsed body. Undefined if empty or not JSON. */
  json: unknown;
}

/** Fallback codes for replies whose `x-error-code` is missing or hidden by a browser. */
const CODE_BY_STATUS: Readonly<Partial<Record<number, ErrorCode>>> = {
  400: 'malformed_request',
  401: 'invalid_api_key',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'session_ended',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  422: 'idempotency_key_reused',
  429: 'too_many_requests',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'unavailable',
  507: 'store_full',
};

/** Returns the result of a successful reply. Throws a `LimenError` otherwise. */
export function readResult<Result>(reply: Reply): Result {
  const { status, json } = reply;
  if (status === 204) return undefined as Result;
  const succeeded = status >= 200 && status < 300;
  if (succeeded && isObject(json)) return json as Result;
  throw succeeded || status < 400 ? describeForeignReply(reply) : describeRefusal(reply);
}

/** Returns the text of a JWT reply. A service that does not sign replies with JSON or nothing. */
export function readJwt(reply: Reply): string {
  const { status, headers, text } = reply;
  if (status === 200 && headers.get('content-type')?.startsWith('application/jwt')) return text;
  throw status < 400 ? describeForeignReply(reply, 'a signed result or receipt') : describeRefusal(reply);
}

/** Returns the body as received. Throws a `LimenError` unless the reply is a success. */
export function readText(reply: Reply): string {
  return reply.status === 200 ? reply.text : readResult<never>(reply);
}

export function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null;
}

/** Describes a reply that is not Limen's: another server is at this address. */
function describeForeignReply({ status, headers }: Reply, wanted = 'a JSON object'): LimenError {
  const redirected = status === 0 || (status >= 300 && status < 400);
  const message = redirected
    ? 'The reply was a redirect, which is not followed. Set baseUrl (or nodeUrl) to its target.'
    : `The reply (status ${status}) is not ${wanted}. Does baseUrl (or nodeUrl) point to Limen?`;
  return new LimenError(message, {
    status,
    code: 'invalid_reply',
    requestId: headers.get('x-request-id') ?? undefined,
  });
}

function describeRefusal({ status, headers, json }: Reply): LimenError {
  const body = isObject(json) ? json : {};
  const details = Array.isArray(body['details']) ? body['details'].filter(isDetail) : [];
  const answeredAt = Date.parse(headers.get('date') ?? '');
  return new LimenError(textIn(body['message']) ?? `The service replied with status ${status}.`, {
    status,
    code: textIn(headers.get('x-error-code')) ?? deriveCode(status, details),
    requestId: textIn(headers.get('x-request-id')) ?? textIn(body['requestId']),
    details,
    // Relative to the service's clock if known, because the caller's may be wrong.
    retryAfterSeconds: parseRetryAfter(headers.get('retry-after'), Number.isNaN(answeredAt) ? Date.now() : answeredAt),
    nodeStatus: typeof body['status'] === 'number' ? body['status'] : undefined,
    sessionCode: typeof body['code'] === 'number' ? body['code'] : undefined,
  });
}

function deriveCode(status: number, details: readonly ErrorDetail[]): LimenErrorCode {
  if (status === 400 && details.length > 0) return 'validation_failed';
  return CODE_BY_STATUS[status] ?? `http_${status}`;
}

function isDetail(value: unknown): value is ErrorDetail {
  return isObject(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

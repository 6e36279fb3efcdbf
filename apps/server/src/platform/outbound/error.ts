// Failures of outbound calls: a stable code, and a sentence without the query of the address.

type OutboundErrorCode =
  | 'invalid_address'
  | 'address_refused'
  | 'redirect_refused'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'interrupted'
  | 'invalid_reply';

export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** Writes an address for people and logs. Its query and credentials may be secrets. */
export function withoutQuery(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const TIMEOUTS = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'];
const LOST = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_ABORTED'];

/** Converts an error of the client library; an unknown code means unreachable. */
export function toOutboundError(error: unknown, host: string): unknown {
  if (error instanceof OutboundError) return error;
  const code = readCode(error);
  // The parser's own errors have a code of their own, or none.
  if ((error as Error | undefined)?.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('invalid_reply', `${host} did not reply with HTTP, or its headers are too long.`);
  }
  if (code === undefined) return error;
  if (TIMEOUTS.includes(code)) return new OutboundError('timeout', `${host} did not answer in time.`);
  if (LOST.includes(code)) {
    return new OutboundError('interrupted', `The connection to ${host} broke before everything had arrived.`);
  }
  return new OutboundError('unreachable', `${host} cannot be reached (${code}).`);
}

function readCode(error: unknown): string | undefined {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === 'string') return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? undefined : readCode(inner);
}

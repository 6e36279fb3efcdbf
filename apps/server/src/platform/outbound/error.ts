// Why an outbound call could not be made: a stable code, and a sentence without the address's query.

export type OutboundErrorCode =
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

/** An address for people and logs: its query and credentials may be secrets. */
export function withoutQuery(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const TIMEOUTS = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'];
const LOST = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_ABORTED'];
const NOT_HTTP = ['UND_ERR_HEADERS_OVERFLOW'];

/** Turns whatever the client library throws into one of ours; anything else is unreachable with its code. */
export function toOutboundError(error: unknown, host: string): unknown {
  if (error instanceof OutboundError) return error;
  const found = codeOf(error);
  // What the parser stumbles over has a code of its own, or none.
  if (nameOf(error) === 'HTTPParserError' || NOT_HTTP.includes(found ?? '')) {
    return new OutboundError('invalid_reply', `What ${host} answers is not HTTP, or its headers are too long.`);
  }
  if (found === undefined) return error;
  if (TIMEOUTS.includes(found)) return new OutboundError('timeout', `${host} did not answer in time.`);
  if (LOST.includes(found)) {
    return new OutboundError('interrupted', `The connection to ${host} broke before everything had arrived.`);
  }
  return new OutboundError('unreachable', `${host} cannot be reached (${found}).`);
}

function nameOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

function codeOf(error: unknown): string | undefined {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === 'string') return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? undefined : codeOf(inner);
}

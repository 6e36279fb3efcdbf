// The two errors a caller can meet: the service refused, or no answer came.
// Neither ever carries the API key, a request body or a reply body.
import type { ErrorCode, ErrorDetail } from '@limen/contract';

/**
 * The service's own code where it sent one. Otherwise: `invalid_reply` for a reply that Limen would not give,
 * a code that fits the status, or `http_<status>`. A newer service may send codes this list does not know.
 */
export type LimenErrorCode = ErrorCode | 'invalid_reply' | `http_${number}` | (string & Record<never, never>);

interface RefusalFacts {
  status: number;
  code: LimenErrorCode;
  requestId?: string | undefined;
  details?: readonly ErrorDetail[];
  retryAfterSeconds?: number | undefined;
  nodeStatus?: number | undefined;
  sessionCode?: number | undefined;
  cause?: unknown;
}

/** The service answered, and not with what was asked for. */
export class LimenError extends Error {
  override readonly name = 'LimenError';
  /** HTTP status; 0 where a browser hides it (a redirect). */
  readonly status: number;
  readonly code: LimenErrorCode;
  /** Names the request in the service's log; quote it in a report. */
  readonly requestId: string | undefined;
  /** One entry per problem of a failed validation; otherwise empty. */
  readonly details: readonly ErrorDetail[];
  /** How long the service asked to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** The `status` in the body of a refusal by the biometric node, which is finer than the HTTP status. */
  readonly nodeStatus: number | undefined;
  /** The `code` in the body of a refusal on the device channel: the session error code that stands for it, such as -16. */
  readonly sessionCode: number | undefined;

  constructor(message: string, facts: RefusalFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    const { status, code, requestId, details = [], retryAfterSeconds, nodeStatus, sessionCode } = facts;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
    this.nodeStatus = nodeStatus;
    this.sessionCode = sessionCode;
  }
}

export type LimenConnectionErrorCode = 'connection_failed' | 'timeout';

/** No complete answer came. Whether the service did the work is unknown. */
export class LimenConnectionError extends Error {
  override readonly name = 'LimenConnectionError';
  readonly code: LimenConnectionErrorCode;

  constructor(code: LimenConnectionErrorCode, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

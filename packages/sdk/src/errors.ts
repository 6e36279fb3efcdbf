// The two errors of the client: the service refused, or no reply was received. Neither contains the
// API key or a body.
import type { ErrorCode, ErrorDetail } from '@limen/contract';

/**
 * The service's own code, if it sent one. Otherwise `invalid_reply` for a reply that is not
 * Limen's, a code that fits the status, or `http_<status>`. Newer services may send unlisted codes.
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

/** The service replied with a refusal or an invalid reply. */
export class LimenError extends Error {
  override readonly name = 'LimenError';
  /** HTTP status. 0 if the browser hides it (a redirect). */
  readonly status: number;
  readonly code: LimenErrorCode;
  /** Identifies the request in the service's log. Include it in bug reports. */
  readonly requestId: string | undefined;
  /** One entry per problem of a failed validation, otherwise empty. */
  readonly details: readonly ErrorDetail[];
  /** Time that the service asked to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** `status` in the body of a refusal by the biometric node, finer than the HTTP status. */
  readonly nodeStatus: number | undefined;
  /** `code` in the body of a refusal on the device channel: the session error code, such as -16. */
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

/** No complete reply was received. Whether the service executed the request is unknown. */
export class LimenConnectionError extends Error {
  override readonly name = 'LimenConnectionError';
  readonly code: LimenConnectionErrorCode;

  constructor(code: LimenConnectionErrorCode, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

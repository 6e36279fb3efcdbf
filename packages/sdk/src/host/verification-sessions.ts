// Verification sessions, for host applications.
import type {
  CreatedVerificationSession,
  CreateVerificationSessionRequest,
  SimulateVerificationSessionRequest,
  VerificationSessionResult,
} from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import type { ReceiptOptions, SignedOptions } from '../http/options.ts';
import type { RequestFunction } from '../http/request.ts';
import { mintUuid } from '../text/uuid.ts';

export interface CreateVerificationSessionOptions extends CallOptions {
  /** Idempotency key, for calls repeated by another process. Default: a new one per call. */
  idempotencyKey?: string | undefined;
}

export interface VerificationSessionsClient {
  /** Creates a session. Send the person to `launchUrl`. The outcome arrives as a webhook. */
  create(
    request: CreateVerificationSessionRequest,
    options?: CreateVerificationSessionOptions,
  ): Promise<CreatedVerificationSession>;
  /** Returns the current result. `status` is `PENDING` until the session has ended. */
  getResult(sessionId: string, options: SignedOptions): Promise<string>;
  getResult(sessionId: string, options?: CallOptions): Promise<VerificationSessionResult>;
  /** Ends the session as a device would. Development and test keys only. Never retried. */
  simulate(
    sessionId: string,
    request: SimulateVerificationSessionRequest,
    options?: CallOptions,
  ): Promise<VerificationSessionResult>;
  /**
   * Trusts device and passkey of a session from now on, after your review of a success with
   * `NEW_DEVICE`. Rejects with 409 if there is nothing to trust.
   */
  trustDevice(sessionId: string, options?: CallOptions): Promise<void>;
  /** Deletes session, result and webhook bodies. Rejects with 404 if it does not exist. */
  redact(sessionId: string, options: ReceiptOptions): Promise<string>;
  redact(sessionId: string, options?: CallOptions): Promise<void>;
}

const BASE = ['v2', 'verification-session'] as const;

export function createVerificationSessionsClient(request: RequestFunction): VerificationSessionsClient {
  return {
    create: (json, { idempotencyKey = mintUuid(), signal } = {}) =>
      request({ method: 'POST', path: BASE, json, idempotencyKey, signal }),
    getResult: (sessionId: string, { signed, signal }: Partial<SignedOptions> = {}) =>
      request<never>({ method: 'GET', path: [...BASE, sessionId, 'result'], asJwt: signed, signal }),
    // A retry after a lost reply would return `session_ended` although the first attempt succeeded.
    simulate: (sessionId, json, { signal } = {}) =>
      request({ method: 'POST', path: [...BASE, sessionId, 'simulate'], json, signal }),
    trustDevice: (sessionId, { signal } = {}) =>
      request({
        method: 'POST',
        path: [...BASE, sessionId, 'trust-device'],
        signal,
        isIdempotent: true,
      }),
    redact: (sessionId: string, { receipt, signal }: Partial<ReceiptOptions> = {}) =>
      request<never>({ method: 'DELETE', path: [...BASE, sessionId], asJwt: receipt, signal }),
  };
}

// Verification sessions, as the host application sees them.
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
  /** Pass one to make the call repeatable beyond this process; by default each call has its own. */
  idempotencyKey?: string | undefined;
}

export interface VerificationSessionsClient {
  /** Send the person to `launchUrl`; the outcome comes as a webhook that names `sessionId`. */
  create(
    request: CreateVerificationSessionRequest,
    options?: CreateVerificationSessionOptions,
  ): Promise<CreatedVerificationSession>;
  /** What is known now; `status` is `PENDING` until the session has ended. */
  getResult(sessionId: string, options: SignedOptions): Promise<string>;
  getResult(sessionId: string, options?: CallOptions): Promise<VerificationSessionResult>;
  /** Ends the session as if a device had answered, webhook included; development and test keys only. Sent once only. */
  simulate(
    sessionId: string,
    request: SimulateVerificationSessionRequest,
    options?: CallOptions,
  ): Promise<VerificationSessionResult>;
  /**
   * After your review of a success with `NEW_DEVICE`: device and passkey of that session speak for the person from now on.
   * Rejects with 409 when there is nothing to trust.
   */
  trustDevice(sessionId: string, options?: CallOptions): Promise<void>;
  /** Deletes session, result and webhook bodies at once; rejects with 404 when there was no such session. */
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
    // A repetition after a lost answer would say `session_ended` where the first one did what was asked.
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

// Age sessions, for host applications.
import type {
  AgeSessionResult,
  CreateAgeSessionRequest,
  CreatedAgeSession,
  SimulateAgeSessionRequest,
} from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import type { ReceiptOptions, SignedOptions } from '../http/options.ts';
import type { RequestFunction } from '../http/request.ts';
import { findMemberText } from '../text/member-text.ts';
import { mintUuid } from '../text/uuid.ts';

/** A token, or a function that returns one. */
export type BearerToken = string | (() => string | Promise<string>);

export interface CreateAgeSessionOptions extends CallOptions {
  /** Idempotency key, for calls repeated by another process. Default: a new one per call. */
  idempotencyKey?: string | undefined;
}

/** A result together with the original text of numbers that parsing may have rounded. */
export interface ReadAgeSessionResult extends AgeSessionResult {
  /** Original text of `metadata`, in which JavaScript's parser rounds integers beyond 2^53. */
  metadataText: string;
}

export interface AgeSessionsClient {
  /**
   * Creates a session. Every field is optional. Send the person to `launchUrl` and keep `token` on
   * your server. `metadata` may contain BigInts and `jsonText` values, or be one.
   */
  create(request?: CreateAgeSessionRequest, options?: CreateAgeSessionOptions): Promise<CreatedAgeSession>;
  /** Returns the current result. `flowStatus` is present once the session has ended. */
  result(token: string, options: SignedOptions): Promise<string>;
  result(token: string, options?: CallOptions): Promise<ReadAgeSessionResult>;
  /** Deletes session, result and webhook bodies. Rejects with 404 if it does not exist. */
  redact(token: string, options: ReceiptOptions): Promise<string>;
  redact(token: string, options?: CallOptions): Promise<void>;
  /** Ends the session as a device would. Development and test keys only. Never retried. */
  simulate(token: string, request: SimulateAgeSessionRequest, options?: CallOptions): Promise<ReadAgeSessionResult>;
}

export function createAgeSessionsClient(
  request: RequestFunction,
  bearerToken: BearerToken | undefined,
): AgeSessionsClient {
  return {
    async create(json = {}, { idempotencyKey = mintUuid(), signal } = {}) {
      const bearer = typeof bearerToken === 'function' ? await askForToken(bearerToken, signal) : bearerToken;
      return request({ method: 'POST', path: ['session'], json, idempotencyKey, bearerToken: bearer, signal });
    },
    result: (token: string, { signed, signal }: Partial<SignedOptions> = {}) =>
      request<never>({
        method: 'GET',
        path: ['session', token, 'result'],
        asJwt: signed,
        complete: addMetadataText,
        signal,
      }),
    redact: (token: string, { receipt, signal }: Partial<ReceiptOptions> = {}) =>
      request<never>({ method: 'DELETE', path: ['session', token], asJwt: receipt, signal }),
    // A retry after a lost reply would return `session_ended` although the first attempt succeeded.
    simulate: (token, json, { signal } = {}) =>
      request({ method: 'POST', path: ['session', token, 'simulate'], json, complete: addMetadataText, signal }),
  };
}

function addMetadataText(result: object, text: string): object {
  return { ...result, metadataText: findMemberText(text, 'metadata') ?? '{}' };
}

/** Races with the signal, which the caller's function does not know. */
async function askForToken(ask: () => string | Promise<string>, signal: AbortSignal | undefined): Promise<string> {
  signal?.throwIfAborted();
  let stopListening = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = () => reject(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    stopListening = () => signal?.removeEventListener('abort', giveUp);
  });
  try {
    const token: unknown = await Promise.race([Promise.resolve().then(ask), aborted]);
    // Without it, the service would treat the call as one that needs no token.
    if (typeof token !== 'string' || token === '') throw new TypeError('The bearerToken function must return a token.');
    return token;
  } finally {
    stopListening();
  }
}

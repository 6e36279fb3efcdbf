// Age sessions, as the host application sees them.
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

/** A token, or what gives one. */
export type BearerToken = string | (() => string | Promise<string>);

export interface CreateAgeSessionOptions extends CallOptions {
  /** Pass one to make the call repeatable beyond this process; by default each call has its own. */
  idempotencyKey?: string | undefined;
}

/** A result as it was read: with the text of what its numbers may have been rounded in. */
export interface ReadAgeSessionResult extends AgeSessionResult {
  /** The very text of `metadata`, in which JavaScript's parser rounds integers beyond 2^53. */
  metadataText: string;
}

export interface AgeSessionsClient {
  /**
   * Every field is optional. Send the person to `launchUrl`, keep `token` on your server. `metadata` may hold BigInts, and
   * be or hold a `jsonText`.
   */
  create(request?: CreateAgeSessionRequest, options?: CreateAgeSessionOptions): Promise<CreatedAgeSession>;
  /** What is known now; `flowStatus` is there once the session has ended. */
  result(token: string, options: SignedOptions): Promise<string>;
  result(token: string, options?: CallOptions): Promise<ReadAgeSessionResult>;
  /** Deletes session, result and webhook bodies at once; rejects with 404 when there was no such session. */
  redact(token: string, options: ReceiptOptions): Promise<string>;
  redact(token: string, options?: CallOptions): Promise<void>;
  /** Ends the session as if a device had answered, webhook included; development and test keys only. Sent once only. */
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
    // A repetition after a lost answer would say `session_ended` where the first one did what was asked.
    simulate: (token, json, { signal } = {}) =>
      request({ method: 'POST', path: ['session', token, 'simulate'], json, complete: addMetadataText, signal }),
  };
}

function addMetadataText(result: object, text: string): object {
  return { ...result, metadataText: findMemberText(text, 'metadata') ?? '{}' };
}

/** The function is the caller's and knows nothing of the signal, which still gives the call up at once. */
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
    // Without it the service would take the call for one that needs no token.
    if (typeof token !== 'string' || token === '') throw new TypeError('bearerToken must give a token');
    return token;
  } finally {
    stopListening();
  }
}

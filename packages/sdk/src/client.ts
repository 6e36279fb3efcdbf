// The client: one object with a namespace per area.
import type { Health, ServiceDescriptor } from '@limen/contract';
import { type AgeSessionsClient, type BearerToken, createAgeSessionsClient } from './host/age-sessions.ts';
import { createSanctionsClient, type SanctionsClient } from './host/sanctions.ts';
import { createScreeningClient, type ScreeningClient } from './host/screening.ts';
import { createStringsClient, type StringsClient } from './host/strings.ts';
import { createVerificationSessionsClient, type VerificationSessionsClient } from './host/verification-sessions.ts';
import { createWebhookDeliveriesClient, type WebhookDeliveriesClient } from './host/webhook-deliveries.ts';
import {
  type CallOptions,
  type ClientCredentials,
  createExchange,
  type Exchange,
  type Fetch,
} from './http/exchange.ts';
import { parseBaseUrl, parseRetries, parseTimeout } from './http/options.ts';
import { isObject, readResult } from './http/reply.ts';
import { createRequest, type RequestFunction } from './http/request.ts';
import { type RetryOptions, sleep as sleepForReal } from './http/retry.ts';
import { createNodeClient, type NodeClient } from './node/node.ts';

export interface LimenClientOptions {
  /** URL of Limen, including any path prefix. On a page it may be relative, such as `/limen/`. */
  baseUrl: string;
  /** URL of the biometric node, if it differs from `baseUrl`. */
  nodeUrl?: string | undefined;
  /**
   * API key, sent as `x-api-key`. `node` also uses it for encryption. Do not ship it to browsers:
   * let your own server add it.
   */
  apiKey?: string | undefined;
  /**
   * Bearer token, sent as `Authorization: Bearer` only when a session is created, for services that
   * require one. A function is called for each session, so that it can renew expired tokens.
   */
  bearerToken?: BearerToken | undefined;
  /**
   * Client id and secret, sent with the calls of `verificationSessions`, `screening.subjects`,
   * `screening.alerts`, `webhookDeliveries` and `node`. Required if the API key has them.
   */
  clientCredentials?: ClientCredentials | undefined;
  /** fetch implementation. Default: the platform's. */
  fetch?: Fetch | undefined;
  /** Timeout per attempt in milliseconds, including the reply's body. Default: 30,000. */
  timeoutMs?: number | undefined;
  retries?: RetryOptions | undefined;
  /** Waits between attempts. Rejects with the signal's reason if aborted. For tests. */
  sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Returns a number from 0 up to, but excluding, 1. For tests. */
  random?: (() => number) | undefined;
}

export interface LimenClient {
  strings: StringsClient;
  sanctions: SanctionsClient;
  screening: ScreeningClient;
  /** Biometric node. Requires `apiKey`. */
  node: NodeClient;
  /** Age verification sessions. All calls except reading the result require `apiKey`. */
  ageSessions: AgeSessionsClient;
  /** Verification sessions: enroll, sign in and verify by face. Requires `apiKey`. */
  verificationSessions: VerificationSessionsClient;
  /** Log of webhook deliveries. Requires `apiKey`. */
  webhookDeliveries: WebhookDeliveriesClient;
  /**
   * Returns the health of the service, without retries. A service without its database returns
   * `unavailable` instead of an error.
   */
  health(options?: CallOptions): Promise<Health>;
  /** Returns name, version and operations of the service. */
  describe(options?: CallOptions): Promise<ServiceDescriptor>;
}

export function createLimenClient(options: LimenClientOptions): LimenClient {
  const { apiKey, timeoutMs = 30_000, retries = {}, sleep = sleepForReal, random = Math.random } = options;
  // Looked up on each call, so that a replaced global fetch takes effect.
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const reach = (baseUrl: URL) => createExchange({ baseUrl, apiKey, fetch, timeoutMs: parseTimeout(timeoutMs) });
  const repeat = (exchange: Exchange) => createRequest({ exchange, retries: parseRetries(retries), sleep, random });
  const exchange = reach(parseBaseUrl(options.baseUrl));
  const request = repeat(exchange);
  const { nodeUrl } = options;
  const nodeRequest = nodeUrl === undefined ? request : repeat(reach(parseBaseUrl(nodeUrl, 'nodeUrl')));
  const { clientCredentials } = options;
  const asClient =
    (send: RequestFunction): RequestFunction =>
    (call) =>
      send({ ...call, clientCredentials });

  return {
    strings: createStringsClient(request),
    sanctions: createSanctionsClient(request),
    screening: createScreeningClient(request, asClient(request)),
    node: createNodeClient(asClient(nodeRequest), apiKey),
    ageSessions: createAgeSessionsClient(request, options.bearerToken),
    verificationSessions: createVerificationSessionsClient(asClient(request)),
    webhookDeliveries: createWebhookDeliveriesClient(asClient(request)),
    async health({ signal } = {}) {
      const reply = await exchange({ method: 'GET', path: ['health'], signal });
      return isUnwell(reply.json) ? reply.json : readResult<Health>(reply);
    },
    describe: ({ signal } = {}) => request({ method: 'GET', path: [], signal }),
  };
}

/** Detects a 503 with the health body. A proxy's 503 differs and remains an error. */
function isUnwell(json: unknown): json is Health {
  return isObject(json) && json['status'] === 'unavailable' && typeof json['uptimeSeconds'] === 'number';
}

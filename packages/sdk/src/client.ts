// The client: options in, one object with a namespace per area out.
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
  /** Where Limen is served, with its path prefix if it has one; on a page also relative, such as `/limen/`. */
  baseUrl: string;
  /** Where the biometric node is served, if that is another address than `baseUrl`. */
  nodeUrl?: string | undefined;
  /**
   * Sent as `x-api-key`, and what `node` encrypts with. Do not ship it to browsers: let your own server add it.
   */
  apiKey?: string | undefined;
  /**
   * Sent as `Authorization: Bearer` when a session is created, for a service that asks for one, and nowhere else. A
   * function is called for each session, so that it can renew a token that runs out.
   */
  bearerToken?: BearerToken | undefined;
  /** Sent with the calls of `verificationSessions`, `screening.subjects`, `screening.alerts`, `webhookDeliveries` and `node`, where a key that has them asks for them. */
  clientCredentials?: ClientCredentials | undefined;
  /** The platform's by default. */
  fetch?: Fetch | undefined;
  /** For each attempt, the reply's body included. Default 30,000. */
  timeoutMs?: number | undefined;
  retries?: RetryOptions | undefined;
  /** Waits between attempts; rejects with the signal's reason when it is aborted. For tests. */
  sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** 0 up to, but not including, 1. For tests. */
  random?: (() => number) | undefined;
}

export interface LimenClient {
  strings: StringsClient;
  sanctions: SanctionsClient;
  screening: ScreeningClient;
  /** The biometric node; needs `apiKey`. */
  node: NodeClient;
  /** Age verification sessions; all but the result need `apiKey`. */
  ageSessions: AgeSessionsClient;
  /** Verification sessions: enrol, sign in and verify by face; needs `apiKey`. */
  verificationSessions: VerificationSessionsClient;
  /** What became of the webhooks of the sessions; needs `apiKey`. */
  webhookDeliveries: WebhookDeliveriesClient;
  /** How the service is, asked once: a service without its database is an answer (`unavailable`), not an error. */
  health(options?: CallOptions): Promise<Health>;
  /** Name, version and operations of the service. */
  describe(options?: CallOptions): Promise<ServiceDescriptor>;
}

export function createLimenClient(options: LimenClientOptions): LimenClient {
  const { apiKey, timeoutMs = 30_000, retries = {}, sleep = sleepForReal, random = Math.random } = options;
  // Looked up at each call, so that a page or test that replaces the global one is followed.
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

/** A 503 with the health body; a proxy's 503 has another one and stays an error. */
function isUnwell(json: unknown): json is Health {
  return isObject(json) && json['status'] === 'unavailable' && typeof json['uptimeSeconds'] === 'number';
}

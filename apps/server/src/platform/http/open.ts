// The HTTP server as the service runs it: its door, its check of API keys, and what it says about itself.
import type { Logger } from 'pino';
import type { ApiKeys } from '../api-keys/api-keys.ts';
import type { Clock } from '../base/clock.ts';
import { VERSION } from '../base/version.ts';
import type { KeyPairFiles } from '../files/key-pair.ts';
import type { Metrics } from '../watch/metrics.ts';
import type { ReadinessChecks } from '../watch/readiness.ts';
import { type Access, createAccess } from './access.ts';
import { createDoor, type Door, type Place } from './door.ts';
import type { RateLimits } from './limits/token-buckets.ts';
import { registerPageAssets } from './pages/page.ts';
import { describeApi, registerOpenApiRoute } from './reference/openapi.ts';
import { registerReferencePage } from './reference/page.ts';
import { openCertificate } from './served-certificate.ts';
import { createHttpServer, type ServerOptions } from './server.ts';
import type { HttpServer } from './types.ts';
import { registerMetricsRoute, registerReadyRoute } from './watch/routes.ts';

interface OpenHttp extends Omit<ServerOptions, 'addressRateLimit' | 'tls'> {
  tls: (KeyPairFiles & { forGood: boolean }) | undefined;
  place: Place;
  rateLimit: RateLimits | undefined;
  /** Whoever has it may read the metrics; without it, this machine alone. */
  metricsToken: string | undefined;
  apiKeys: ApiKeys;
  metrics: Metrics;
  readiness: ReadinessChecks;
  clock: Clock;
  log: Logger;
}

export interface OpenedHttp {
  http: HttpServer;
  door: Door;
  access: Access;
  /** Reads the certificate again. Undefined without TLS. */
  reloadCertificate: (() => void) | undefined;
}

/** Does not listen yet: the door is opened once every part has its routes. */
export async function openHttp(options: OpenHttp): Promise<OpenedHttp> {
  const { place, rateLimit, metricsToken, apiKeys, metrics, readiness } = options;
  const certificate = options.tls && openCertificate(options.tls, options);
  const tls = options.tls && certificate && { pair: certificate.pair, forGood: options.tls.forGood };
  const http = createHttpServer({ ...options, tls, addressRateLimit: rateLimit?.address });
  const reloadCertificate = certificate?.keepCurrent(http);
  const door = createDoor(http, place);
  await describeApi(http, VERSION);
  registerReadyRoute(http, readiness);
  registerMetricsRoute(http, metrics, metricsToken);
  registerOpenApiRoute(http);
  registerReferencePage(http);
  registerPageAssets(http);
  return { http, door, access: createAccess(apiKeys, rateLimit?.key), reloadCertificate };
}

// Opens the HTTP server of the service: its address, its check of API keys, and the routes about itself.
import type { ApiKeys } from '../api-keys/api-keys.ts';
import type { Clock } from '../base/clock.ts';
import { VERSION } from '../base/version.ts';
import type { KeyPairFiles } from '../files/key-pair.ts';
import type { ReadinessChecks } from '../watch/readiness.ts';
import { createAccess } from './access.ts';
import type { RateLimits } from './limits/token-buckets.ts';
import { createListener, type ListenAddress } from './listener.ts';
import { registerPageAssets } from './pages/page.ts';
import { describeApi, registerOpenApiRoute } from './reference/openapi.ts';
import { registerReferencePages } from './reference/pages.ts';
import { openCertificate } from './served-certificate.ts';
import { createHttpServer, type ServerHooks } from './server.ts';
import { forgetUntrustedProxy, noteUntrustedProxy, UNTRUSTED_PROXY } from './untrusted-proxy.ts';
import { registerMetricsRoute, registerReadyRoute } from './watch/routes.ts';
import type { WatchContext } from './watch/watch-requests.ts';

interface HttpContext extends WatchContext {
  apiKeys: ApiKeys;
  readiness: ReadinessChecks;
  clock: Clock;
}

interface HttpSettings {
  /** `forGood` makes browsers insist on https for a year. */
  tls: (KeyPairFiles & { forGood: boolean }) | undefined;
  place: ListenAddress;
  dataDir: string;
  trustProxy: boolean | string[];
  rateLimit: RateLimits | undefined;
  /** Token for the metrics. Without one, only this machine may read them. */
  metricsToken: string | undefined;
}

export type HttpHooks = Omit<ServerHooks, 'onUntrustedProxy'>;

/** Does not listen yet: the caller adds the routes of every part first. */
export async function openHttp(context: HttpContext, settings: HttpSettings, hooks: HttpHooks) {
  const { apiKeys, metrics, readiness, log } = context;
  const { place, dataDir, trustProxy, rateLimit } = settings;
  forgetUntrustedProxy(dataDir);
  const onUntrustedProxy = () => {
    log.warn(UNTRUSTED_PROXY);
    void noteUntrustedProxy(dataDir);
  };
  const certificate = settings.tls && openCertificate(settings.tls, context);
  const tls = settings.tls && certificate && { pair: certificate.pair, forGood: settings.tls.forGood };
  const http = createHttpServer(
    context,
    { tls, trustProxy, addressRateLimit: rateLimit?.address },
    { ...hooks, onUntrustedProxy },
  );
  const reloadCertificate = certificate?.keepCurrent(http);
  const listener = createListener(http, place);
  await describeApi(http, VERSION);
  registerReadyRoute(http, readiness);
  registerMetricsRoute(http, metrics, settings.metricsToken);
  registerOpenApiRoute(http);
  registerReferencePages(http);
  registerPageAssets(http);
  /** `reloadCertificate` reads the certificate again; undefined without TLS. */
  return { http, access: createAccess(apiKeys, rateLimit?.key), ...listener, reloadCertificate };
}

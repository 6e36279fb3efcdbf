// The check of bearer tokens, loaded only where an issuer is configured: its library takes a while to load.
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Bearer } from './bearer.ts';

interface BearerSettings {
  OIDC_ISSUER: string | undefined;
  OIDC_AUDIENCE: string | undefined;
  OIDC_JWKS_URL: string | undefined;
}

/** Undefined without an issuer; then `Authorization` is not looked at. */
export async function openBearer(settings: BearerSettings, clock: Clock, log: Logger): Promise<Bearer | undefined> {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_JWKS_URL: jwksUrl } = settings;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) return undefined;
  const { createBearer } = await import('./bearer.ts');
  return createBearer({ issuer, audience, jwksUrl, clock, log });
}

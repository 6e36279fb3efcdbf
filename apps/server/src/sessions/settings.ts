// Settings of sessions.
import { isDeepStrictEqual } from 'node:util';
import { AGE_BOUND, type AgeBound } from '@limen/plan';
import { type Config, developmentKeySettings } from '../config.ts';
import { retentionMs } from '../review/settings.ts';
import { webhookSettings } from '../webhooks/settings.ts';

export function sessionSettings(config: Config) {
  return {
    relyingParty: { PASSKEY_RP_ID: config.PASSKEY_RP_ID, PASSKEY_ORIGIN: config.PASSKEY_ORIGIN },
    frameAncestors: config.FRAME_ANCESTORS ?? [],
    retentionMs: retentionMs(config),
    webhooks: webhookSettings(config),
    ageKeyScope: config.AGE_KEYS,
    dataDir: config.DATA_DIR,
    walletCertificate: walletCertificateSettings(config),
    revocationChecks: config.WALLET_CRL,
    burstPerMinute: config.BURST_PER_MINUTE,
    servesHosts: config.SERVE.has('core'),
    ttlMs: config.SESSION_TTL_SECONDS * 1000,
    lightChallenge: config.LIGHT_CHALLENGE,
    trustsProxy: config.TRUST_PROXY !== false,
    ageBound: ageBoundSettings(config),
    localSignIns: config.LOCAL_SIGN_INS,
    bearer: bearerSettings(config),
    developmentKey: developmentKeySettings(config),
  };
}

export type SessionSettings = ReturnType<typeof sessionSettings>;

/** Returns undefined without an issuer of bearer tokens; then `Authorization` is ignored. */
function bearerSettings({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_JWKS_URL: jwksUrl }: Config) {
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) return undefined;
  return { issuer, audience, jwksUrl };
}

/** Returns undefined if requests to wallets are not signed. */
export function walletCertificateSettings(config: Config) {
  const { WALLET_CERT: certFile, WALLET_KEY: keyFile, WALLET_CLIENT_ID: prefix, LAUNCH_URL, PUBLIC_URL } = config;
  if (certFile === undefined || keyFile === undefined) return undefined;
  const page = LAUNCH_URL ?? PUBLIC_URL;
  return { certFile, keyFile, prefix, host: page === undefined ? config.HOST : new URL(page).hostname };
}

/** Returns undefined for the default, which every page has. */
export function ageBoundSettings(config: Config): AgeBound | undefined {
  const bound = { spread: config.AGE_BOUND_SPREAD, mirror: config.AGE_BOUND_MIRROR, years: config.AGE_BOUND_YEARS };
  return isDeepStrictEqual(bound, AGE_BOUND) ? undefined : bound;
}

// Sign-in with an identity provider of one's own (OpenID Connect, authorization code with PKCE): who somebody is, and in which
// groups. What they may do here is decided elsewhere.
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import { AppError } from '../../platform/base/errors.ts';
import { MAX_OPERATOR_NAME_LENGTH } from '../limits.ts';
import { cleanName } from './names.ts';

/** The provider's addresses and keys are asked for again after this time. */
const KNOWN_MS = 60 * 60_000;
const TIMEOUT_SECONDS = 10;
/** Claims that may say what to call somebody, the best first. */
const NAME_CLAIMS = ['preferred_username', 'email', 'name'] as const;

interface ProviderSettings {
  /** Exactly as the provider calls itself. */
  issuer: string;
  clientId: string;
  /** Without one the client is public, and PKCE alone holds its flows together. */
  clientSecret: string | undefined;
  scopes: string;
  /** The claim that lists the groups. */
  groupsClaim: string;
}

/** What ties the answer to the question; the browser that asked brings it back, sealed. */
export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
}

export interface ProviderIdentity {
  issuer: string;
  /** What the provider calls them for ever. */
  subject: string;
  /** What people call them. */
  name: string;
  groups: readonly string[];
}

export type IdentityProvider = Awaited<ReturnType<typeof createIdentityProvider>>;

export async function createIdentityProvider(settings: ProviderSettings) {
  // Loaded only where a provider is configured.
  const oidc = await import('openid-client');
  const issuer = new URL(settings.issuer);
  let known: { until: number; configuration: Promise<Configuration> } | undefined;

  async function discover(): Promise<Configuration> {
    if (!known || known.until < performance.now()) {
      const authentication =
        settings.clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(settings.clientSecret);
      const configuration = oidc.discovery(issuer, settings.clientId, undefined, authentication, {
        timeout: TIMEOUT_SECONDS,
        // Signatures are checked although the token comes straight from the provider: proxies stand in between.
        execute: [
          oidc.enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
        ],
      });
      known = { until: performance.now() + KNOWN_MS, configuration };
    }
    try {
      return await known.configuration;
    } catch {
      known = undefined;
      throw new AppError(
        'unavailable',
        `The identity provider at ${issuer.host} does not answer as one; try again, or sign in with a passkey.`,
      );
    }
  }

  async function claimsBeyond(configuration: Configuration, accessToken: string, claims: IDToken) {
    if (claims[settings.groupsClaim] !== undefined) return claims;
    // Many providers keep groups out of the token, which would grow large.
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    const more: UserInfoResponse = await oidc.fetchUserInfo(configuration, accessToken, claims.sub);
    return { ...more, ...claims };
  }

  return {
    /** Shown on the page, so that people know whose it is. */
    host: issuer.host,

    async begin(redirectUri: string): Promise<{ url: string; flow: Flow }> {
      const configuration = await discover();
      const flow = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, flow };
    },

    /** Returns undefined if the answer proves no identity. */
    async finish(answered: URL, { state, nonce, verifier }: Flow): Promise<ProviderIdentity | undefined> {
      try {
        const configuration = await discover();
        const tokens = await oidc.authorizationCodeGrant(configuration, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = await claimsBeyond(configuration, tokens.access_token, tokens.claims()!);
        return {
          issuer: settings.issuer,
          subject: claims.sub,
          name: nameIn(claims),
          groups: groupsIn(claims[settings.groupsClaim]),
        };
      } catch {
        // What it says may quote a token.
        return undefined;
      }
    },
  };
}

function nameIn(claims: Record<string, unknown> & { sub: string }): string {
  const given = NAME_CLAIMS.map((name) => claims[name]).find((value) => typeof value === 'string' && cleanName(value));
  return cleanName((given as string | undefined) ?? claims.sub)
    .slice(0, MAX_OPERATOR_NAME_LENGTH)
    .toWellFormed();
}

/** A list as a rule; a single group comes as a text from some. */
function groupsIn(claim: unknown): string[] {
  const groups = Array.isArray(claim) ? claim : [claim];
  return groups.filter((group) => typeof group === 'string');
}

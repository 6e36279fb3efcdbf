// Sign-in with an identity provider (OpenID Connect), and the operators that it provides.
import type { Configuration, IDToken } from 'openid-client';
import { AppError } from '../../platform/base/errors.ts';
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';
import type { Core } from '../../platform/core.ts';
import type { Operator } from '../../records/audit/acts.ts';
import { MAX_OPERATOR_NAME_LENGTH } from '../limits.ts';
import type { identitySettings } from '../settings.ts';
import { cleanName, findNameProblem, isSameName } from './names.ts';
import type { OperatorStore } from './store.ts';

const KNOWN_MS = 60 * 60_000;
const TIMEOUT_SECONDS = 10;
const NAME_CLAIMS = ['preferred_username', 'email', 'name'] as const;

/** Ties an answer to its question. The browser carries it back, sealed. */
export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
}

export type IdentityProvider = Awaited<ReturnType<typeof createIdentityProvider>>;
type ProviderIdentity = NonNullable<Awaited<ReturnType<IdentityProvider['finish']>>>;

export async function createIdentityProvider(settings: NonNullable<ReturnType<typeof identitySettings>>) {
  const oidc = await import('openid-client');
  const issuer = new URL(settings.issuer);
  let known: { until: number; configuration: Promise<Configuration> } | undefined;

  async function discover(): Promise<Configuration> {
    if (!known || known.until < performance.now()) {
      const { clientSecret } = settings;
      const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(clientSecret);
      const configuration = oidc.discovery(issuer, settings.clientId, undefined, authentication, {
        timeout: TIMEOUT_SECONDS,
        // Checked even though the token comes straight from the provider: proxies are in between.
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
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    const more = await oidc.fetchUserInfo(configuration, accessToken, claims.sub);
    return { ...more, ...claims };
  }

  return {
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

    async finish(answered: URL, { state, nonce, verifier }: Flow) {
      try {
        const configuration = await discover();
        const tokens = await oidc.authorizationCodeGrant(configuration, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = await claimsBeyond(configuration, tokens.access_token, tokens.claims()!);
        const groups = groupsIn(claims[settings.groupsClaim]);
        return { issuer: settings.issuer, subject: claims.sub, name: nameIn(claims), groups };
      } catch {
        // Not logged: the error may quote a token.
        return undefined;
      }
    },
  };
}

function nameIn(claims: Record<string, unknown> & { sub: string }): string {
  const claim = NAME_CLAIMS.map((name) => claims[name]).find((value) => typeof value === 'string' && cleanName(value));
  return cleanName((claim as string | undefined) ?? claims.sub)
    .slice(0, MAX_OPERATOR_NAME_LENGTH)
    .toWellFormed();
}

/** Usually a list; some providers send a single group as text. */
function groupsIn(claim: unknown): string[] {
  const groups = Array.isArray(claim) ? claim : [claim];
  return groups.filter((group) => typeof group === 'string');
}

export type ProvidedOperators = ReturnType<typeof createProvidedOperators>;

/** `roles`: role of each group. Operators in several groups have the role of the first in this order. */
export function createProvidedOperators(
  { database, sealer, clock, ids }: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids'>,
  store: OperatorStore,
  roles: ReadonlyMap<string, Role>,
) {
  return {
    /** Calls `before` once decided and before any change. Without a role the operator is signed out. */
    async admit(
      { issuer, subject, name, groups }: ProviderIdentity,
      before: (admitted: { operator: Operator; formerRole: Role | undefined; isNew: boolean }) => Promise<void>,
    ): Promise<{ operator: Operator } | { refused: 'no-role' | 'name-taken'; operator: Operator | undefined }> {
      const identityId = sealer.digest('operators/identity', JSON.stringify([issuer, subject])).toString('base64url');
      const role = [...roles].find(([group]) => groups.includes(group))?.[1];
      const identity = await store.findIdentity(identityId);
      const known = identity && (await store.find(identity.operator_id));
      if (role === undefined) {
        if (known) {
          await database.transact((trx) => store.deleteInvites(trx, known.id));
          await store.deleteSessions(known.id);
        }
        return { refused: 'no-role', operator: known && { id: known.id, name: known.name, role: known.role } };
      }
      if (known) {
        const formerRole = known.role === role ? undefined : known.role;
        const operator = { id: known.id, name: known.name, role };
        await before({ operator, formerRole, isNew: false });
        if (formerRole !== undefined) await database.transact((trx) => store.changeRole(trx, known, role));
        return { operator };
      }
      const nameTaken = { refused: 'name-taken', operator: undefined } as const;
      const isTaken = (await store.list()).some((operator) => isSameName(operator.name, name));
      if (isTaken || findNameProblem(name) !== undefined) return nameTaken;
      const operator = { id: ids.random<OperatorId>(), name, role };
      await before({ operator, formerRole: undefined, isNew: true });
      const row = { ...operator, created_at: clock.now() };
      const isInserted = await database.transact((trx) => store.insertProvided(trx, row, identityId));
      return isInserted ? { operator } : nameTaken;
    },
  };
}

// The identity provider that the settings name, with the roles of its groups.
import { createIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import type { GroupRoles } from './provided.ts';

interface IdentitySettings {
  CONSOLE_OIDC_ISSUER: string | undefined;
  CONSOLE_OIDC_CLIENT_ID: string | undefined;
  CONSOLE_OIDC_CLIENT_SECRET: string | undefined;
  CONSOLE_OIDC_SCOPES: string;
  CONSOLE_OIDC_GROUPS_CLAIM: string;
  CONSOLE_OIDC_ROLES: GroupRoles | undefined;
}

/** Undefined where none is named: then operators are invited, and have passkeys. */
export async function openIdentities(
  settings: IdentitySettings,
): Promise<{ provider: IdentityProvider; roles: GroupRoles } | undefined> {
  const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId, CONSOLE_OIDC_ROLES: roles } = settings;
  if (issuer === undefined || clientId === undefined || roles === undefined) return undefined;
  const provider = await createIdentityProvider({
    issuer,
    clientId,
    clientSecret: settings.CONSOLE_OIDC_CLIENT_SECRET,
    scopes: settings.CONSOLE_OIDC_SCOPES,
    groupsClaim: settings.CONSOLE_OIDC_GROUPS_CLAIM,
  });
  return { provider, roles };
}

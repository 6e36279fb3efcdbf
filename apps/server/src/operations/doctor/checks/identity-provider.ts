// Asks the identity provider of operators, where one is configured, whether it answers as one.
import { createIdentityProvider } from '../../../console/operators/identity-provider.ts';
import { identitySettings } from '../../../console/settings.ts';
import { AppError } from '../../../platform/base/errors.ts';
import { type Check, failure, ok, warning } from './check.ts';

/** Asked for nothing: the address is only what a question has to have. */
const NOWHERE = 'https://localhost/';

export const checkIdentityProvider: Check = async ({ config }) => {
  if (!config.SERVE.has('console')) return [];
  const identity = identitySettings(config);
  if (!identity) return [];
  const { roles } = identity;
  const provider = await createIdentityProvider(identity);
  try {
    await provider.begin(NOWHERE);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      failure(
        `${provider.host} does not answer as the issuer of CONSOLE_OIDC_ISSUER, so nobody signs in with it`,
        'check that it runs and that this machine reaches it, and that the issuer is written exactly as it calls itself',
      ),
    ];
  }
  const isAdmin = [...roles.values()].includes('admin');
  const found = `${provider.host} answers; ${roles.size} of its groups have a role`;
  return [
    isAdmin ? ok(found) : warning(`${found}, none of them admin`, 'name a group of admins in CONSOLE_OIDC_ROLES'),
  ];
};

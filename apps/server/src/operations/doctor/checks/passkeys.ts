// Checks whether browsers make passkeys for the page's address: they want a host name.
import type { Config } from '../../../config.ts';
import { originAt } from '../../../platform/http/listener.ts';
import { findRelyingParty, isPasskeyHost, passkeyRemedy } from '../../../platform/webauthn/relying-party.ts';
import { type Check, type Finding, ok, warning } from './check.ts';

export const checkPasskeys: Check = async ({ config }) => [judgePasskeys(config)];

export function judgePasskeys(
  config: Pick<Config, 'PASSKEY_RP_ID' | 'PASSKEY_ORIGIN' | 'LAUNCH_URL' | 'PUBLIC_URL' | 'HOST' | 'PORT' | 'TLS_CERT'>,
): Finding {
  const { LAUNCH_URL, PUBLIC_URL, HOST, PORT } = config;
  const secure = config.TLS_CERT !== undefined;
  const page = new URL(LAUNCH_URL ?? PUBLIC_URL ?? originAt({ host: HOST, port: PORT, secure }));
  const { id } = findRelyingParty(config, page);
  if (isPasskeyHost(id)) return ok(`bound to ${id}`);
  return warning(`${id} is not a host name, so sessions with a passkey are refused`, passkeyRemedy(page));
}

// Parses the launch URL on the device that opened it.
import { parseUrl } from '../http/options.ts';

export interface LaunchUrlParts {
  sessionId: string;
  /** Only in a URL from another device. */
  code?: string;
  /** Key of the box with that device's findings. Present only if findings are carried. */
  boxKey?: string;
  /** Only in a URL opened by a wallet, whose response is waiting for it. */
  responseCode?: string;
}

/** Returns undefined for a URL without a session. Secrets are in the fragment. */
export function parseLaunchUrl(url: string): LaunchUrlParts | undefined {
  const parsed = parseUrl(url);
  const sessionId = parsed?.searchParams.get('sessionId');
  if (!parsed || !sessionId) return undefined;
  const fragment = new URLSearchParams(parsed.hash.slice(1));
  const [code, boxKey] = fragment.get('handoff')?.split('.') ?? [];
  const responseCode = fragment.get('response_code');
  return {
    sessionId,
    ...(code && { code }),
    ...(code && boxKey && { boxKey }),
    ...(responseCode && { responseCode }),
  };
}

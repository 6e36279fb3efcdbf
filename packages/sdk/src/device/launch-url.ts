// Reads what a launch URL says to the device that opened it.
import { parseUrl } from '../http/options.ts';

export interface LaunchUrlParts {
  sessionId: string;
  /** Only in a URL that another device handed on. */
  code?: string;
  /** The key of the box with what that device has found; only where something came along. */
  boxKey?: string;
  /** Only in a URL that a wallet opened: its answer is waiting for it. */
  responseCode?: string;
}

/** Undefined for a URL that names no session. All codes and keys are in the fragment, which no server gets to see. */
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

// Messages for developers of the host's page, and the detection of their causes.
import type { LimenCheckErrorCode } from './events.ts';

type SilentCode = 'no_handshake';

export const REASONS: Record<Exclude<LimenCheckErrorCode, SilentCode>, string> = {
  bad_launch_url: 'launch-url is missing, or not an http(s) address.',
  covered: 'something on this page covers the check or makes it transparent, so it cannot be started here.',
  no_camera_policy: 'the Permissions-Policy of this page denies the camera to frames.',
  unsupported: 'this browser is too old to show the check inside a page.',
};

/** Timeout for any response of the service. */
const REACH_MS = 8_000;

export interface Silence {
  reason: string;
  /** Whether navigating there makes sense. */
  isReachable: boolean;
}

/** Checks the likely causes of a silent frame, because browsers do not report them. */
export async function explainSilence(url: URL): Promise<Silence> {
  if (!(await isReachable(url)))
    return { reason: `the service does not respond at ${url.origin}.`, isReachable: false };
  // Every ancestor origin must be allowed, as far as the browser reveals them.
  const around = [location.origin, ...(location.ancestorOrigins ?? [])].filter(
    (origin, at, origins) => origins.indexOf(origin) === at,
  );
  const reason = `the page did not answer. Most likely ${around.join(' or ')} is not among the sites of the API key that created the session (limen keys embed ID ${around.join(' ')}). Otherwise the session is gone, or the Content-Security-Policy of this page lacks ${url.origin} in frame-src.`;
  return { reason, isReachable: true };
}

/** If the host's own policies forbid the request, the service counts as reachable. */
async function isReachable(url: URL): Promise<boolean> {
  let isForbidden = crossOriginIsolated;
  const note = () => {
    isForbidden = true;
  };
  document.addEventListener('securitypolicyviolation', note);
  try {
    await fetch(url, {
      mode: 'no-cors',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(REACH_MS),
    });
    return true;
  } catch {
    // Violations are reported with a delay.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return isForbidden;
  } finally {
    document.removeEventListener('securitypolicyviolation', note);
  }
}

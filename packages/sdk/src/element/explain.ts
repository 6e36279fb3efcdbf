// Lines for whoever builds the host's page, and what they are found out by.
import type { LimenCheckErrorCode } from './events.ts';

type SilentCode = 'no_handshake';

export const REASONS: Record<Exclude<LimenCheckErrorCode, SilentCode>, string> = {
  bad_launch_url: 'launch-url is missing, or not an http(s) address.',
  covered: 'something on this page covers the check, or makes it transparent, so the person cannot start it here.',
  no_camera_policy: 'the Permissions-Policy of this page keeps the camera from frames.',
  unsupported: 'this browser is too old to show the check inside a page.',
};

/** How long a service may take to say anything at all. */
const REACH_MS = 8_000;

export interface Silence {
  reason: string;
  /** Whether it makes sense to lead somebody there. */
  isReachable: boolean;
}

/** Why nobody answered from a frame: browsers do not say, so the likely causes are looked at in turn. */
export async function explainSilence(url: URL): Promise<Silence> {
  if (!(await isReachable(url))) return { reason: `the service does not answer at ${url.origin}.`, isReachable: false };
  // Every page around the frame has to be named, where the browser tells which those are.
  const around = [location.origin, ...(location.ancestorOrigins ?? [])].filter(
    (one, at, all) => all.indexOf(one) === at,
  );
  const reason = `the page did not answer. Most likely ${around.join(' or ')} is not among the sites of the API key that made the session (limen keys embed ID ${around.join(' ')}). Otherwise the session is gone, or a Content-Security-Policy of this page does not have ${url.origin} in frame-src.`;
  return { reason, isReachable: true };
}

/** Where the host's own policies forbid to ask, it counts as there. */
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
    // A violation is told a moment later.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return isForbidden;
  } finally {
    document.removeEventListener('securitypolicyviolation', note);
  }
}

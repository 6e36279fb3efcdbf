// Reads what a launch URL says to the device that opened it.

export interface LaunchUrlParts {
  sessionId: string;
  /** Only in a URL that another device handed on. */
  code?: string;
}

/** Undefined for a URL that names no session. The code is in the fragment, which no server gets to see. */
export function parseLaunchUrl(url: string): LaunchUrlParts | undefined {
  if (!URL.canParse(url)) return undefined;
  const { searchParams, hash } = new URL(url);
  const sessionId = searchParams.get('sessionId');
  if (!sessionId) return undefined;
  const code = new URLSearchParams(hash.slice(1)).get('handoff');
  return code ? { sessionId, code } : { sessionId };
}

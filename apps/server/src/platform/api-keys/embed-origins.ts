// Sites that may embed the pages of a key: origins, exactly as browsers write them.
import { invalid } from '../base/errors.ts';

export const MAX_ORIGINS = 50;
export const MAX_ORIGIN_LENGTH = 300;

export const ORIGIN_NEEDED =
  'must be an origin such as https://shop.example: https (http on this machine only), host and port, without a path or wildcard';

/**
 * Origins go into a header in which `;` starts another directive. These characters have no meaning
 * there.
 */
const HOST = /^(?:[a-z0-9-]+\.)*[a-z0-9-]+$|^\[[0-9a-f:]+\]$/;

/** Reads `https://shop.example`, or http on this machine. Returns undefined for anything else. */
export function readOrigin(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_ORIGIN_LENGTH || !URL.canParse(trimmed)) return undefined;
  const { origin, protocol, hostname, href } = new URL(trimmed);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal)) return undefined;
  return href === `${origin}/` && HOST.test(hostname) ? origin : undefined;
}

export function readOrigins(texts: readonly string[], field: string): string[] {
  if (texts.length > MAX_ORIGINS) throw invalid(field, `must be at most ${MAX_ORIGINS}`);
  const origins = texts.map((text, at) => {
    const origin = readOrigin(text);
    if (origin === undefined) throw invalid(`${field}.${at}`, ORIGIN_NEEDED);
    return origin;
  });
  return inOrder(origins);
}

export function inOrder(origins: readonly string[]): string[] {
  return [...new Set(origins)].sort();
}

export function writeOrigins(origins: readonly string[]): string | null {
  return origins.length === 0 ? null : JSON.stringify(origins);
}

export function listOrigins({ embed_origins }: { embed_origins: string | null }): string[] {
  return embed_origins ? (JSON.parse(embed_origins) as string[]) : [];
}

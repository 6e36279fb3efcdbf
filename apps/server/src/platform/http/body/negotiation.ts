// Content negotiation: data or signed data, and the compression.

/** Whether a JWT is requested by name, and not less than JSON or HTML. The default is JSON. */
export function prefersJwt(accept = ''): boolean {
  const jwt = quality(accept, 'application/jwt');
  // RFC 9110, 12.5.1: the most specific range counts.
  const json = quality(accept, 'application/json', 'application/*', '*/*');
  return jwt > 0 && jwt >= json && jwt >= quality(accept, 'text/html');
}

export function acceptsGzip(acceptEncoding = ''): boolean {
  return quality(acceptEncoding, 'gzip') > 0;
}

export type Encoding = 'br' | 'gzip';

/** Returns the client's preferred encoding of those that exist, brotli if it has no preference, and undefined for none. */
export function pickEncoding(
  acceptEncoding: string | undefined,
  existing: { has(encoding: Encoding): boolean },
): Encoding | undefined {
  const wish = (encoding: Encoding) => (existing.has(encoding) ? quality(acceptEncoding ?? '', encoding) : 0);
  const [br, gzip] = [wish('br'), wish('gzip')];
  if (br > 0 && br >= gzip) return 'br';
  return gzip > 0 ? 'gzip' : undefined;
}

/** RFC 9110, 12.4.2: 0 to 1 with at most three decimals. */
const QUALITY = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** Returns the quality of the first type that is in the list, and 0 if none is. */
function quality(accept: string, ...types: string[]): number {
  const parts = accept.split(',').map((part) => part.split(';').map((piece) => piece.trim().toLowerCase()));
  for (const type of types) {
    const part = parts.find(([name]) => name === type);
    if (!part) continue;
    const value = part.find((parameter, at) => at > 0 && parameter.startsWith('q='))?.slice(2) ?? '1';
    return QUALITY.test(value) ? Number(value) : 0;
  }
  return 0;
}

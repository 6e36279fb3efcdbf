// Content negotiation, as far as it is needed: data or signed data, and compressed how?

/** True when a JWT is asked for by name, and no less than what else there could be. JSON is what everybody else gets. */
export function prefersJwt(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const jwt = quality(accept, 'application/jwt');
  return jwt > 0 && jwt >= qualityOfJson(accept) && jwt >= quality(accept, 'text/html');
}

/** RFC 9110, 12.5.1: the most specific range counts. */
function qualityOfJson(accept: string): number {
  const ranges = ['application/json', 'application/*', '*/*'];
  const named = ranges.find((range) => find(accept, range) !== undefined);
  return named === undefined ? 0 : quality(accept, named);
}

/** Whether a body compressed with gzip may be sent. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && quality(acceptEncoding, 'gzip') > 0;
}

export type Encoding = 'br' | 'gzip';

/** The one the client likes best of those there are, brotli where it does not mind; undefined for none. */
export function pickEncoding(
  acceptEncoding: string | undefined,
  there: { has(encoding: Encoding): boolean },
): Encoding | undefined {
  const wish = (encoding: Encoding) =>
    acceptEncoding !== undefined && there.has(encoding) ? quality(acceptEncoding, encoding) : 0;
  const [br, gzip] = [wish('br'), wish('gzip')];
  if (br > 0 && br >= gzip) return 'br';
  return gzip > 0 ? 'gzip' : undefined;
}

/** RFC 9110, 12.4.2: 0 to 1 with at most three decimals. */
const QUALITY = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

function quality(accept: string, type: string): number {
  return find(accept, type) ?? 0;
}

/** Undefined where the type is not in the list; 0 where its quality is none. */
function find(accept: string, type: string): number | undefined {
  for (const part of accept.split(',')) {
    const [name, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    if (q === undefined) return 1;
    const value = q.slice(2);
    return QUALITY.test(value) ? Number(value) : 0;
  }
  return undefined;
}

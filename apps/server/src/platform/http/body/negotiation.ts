// Content negotiation, as far as it is needed: a page or data, and compressed how?

/** True when HTML is asked for by name and no less than JSON is. `curl` and programs send a bare wildcard. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const html = quality(accept, 'text/html');
  return html > 0 && html >= quality(accept, 'application/json');
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

function quality(accept: string, type: string): number {
  for (const part of accept.split(',')) {
    const [name, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const value = q === undefined ? 1 : Number(q.slice(2));
    return Number.isFinite(value) ? value : 0;
  }
  return 0;
}

// Content negotiation, as far as it is needed: does this client want a page or data?

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

// Restricts the demo to its own page: refuses other sites' pages, and those that reach it under
// their own name.
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../apps/server/src/platform/base/errors.ts';

type Hook = (request: FastifyRequest) => Promise<void>;

/**
 * An `onRequest` hook for every route. A page can resolve its own name to this address (DNS
 * rebinding) and is then same-origin with the demo. It cannot use the service's name, `localhost`,
 * or a numeric address. Forwarded hosts do not count, because a page can send them too.
 */
export function requireOwnHost(baseUrl: () => string): Hook {
  return async ({ headers }) => {
    const url = URL.parse(`http://${headers.host ?? ''}`);
    if (url && (isSafeName(url.hostname) || url.hostname === URL.parse(baseUrl())?.hostname)) return;
    throw new AppError(
      'forbidden',
      'The demo answers only at the service’s own address (PUBLIC_URL), at localhost and at numeric addresses.',
    );
  };
}

/**
 * An additional hook for calls with effects. Browsers report the origin of a call truthfully: by
 * `Sec-Fetch-Site` on https and loopback, by `Origin` everywhere. A call without either does not
 * come from a page and is refused too.
 */
export async function requireSameOrigin({ headers, host }: FastifyRequest): Promise<void> {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined ? URL.parse(origin ?? '')?.host === host : site === 'same-origin') return;
  throw new AppError('forbidden', 'The demo accepts calls only from its own page.');
}

/** No one can own a name below `localhost`, and numeric addresses need no DNS. */
function isSafeName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

// Keeps the demo to its own page: other sites' pages, and those that reach it under a name of theirs, are refused.
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../apps/server/src/platform/base/errors.ts';

type Hook = (request: FastifyRequest) => Promise<void>;

/**
 * For every route, an `onRequest` hook. A page can let a name of its own lead to this address (DNS rebinding), and is
 * then of one origin with the demo. It cannot do so with the service's own name, with `localhost`, or with an address in
 * numbers. What a proxy says about the host does not count: a page can say that too.
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
 * For calls that do something, beside the other one. Browsers say where a call comes from and pages cannot change what
 * they say: by `Sec-Fetch-Site` on https and loopback, by `Origin` everywhere. A call that says neither comes from no
 * page, and is refused as well.
 */
export async function requireSameOrigin({ headers, host }: FastifyRequest): Promise<void> {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined ? URL.parse(origin ?? '')?.host === host : site === 'same-origin') return;
  throw new AppError('forbidden', 'The demo accepts calls only from its own page.');
}

/** Nobody can own a name below `localhost`, and an address in numbers is asked of nobody. */
function isSafeName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

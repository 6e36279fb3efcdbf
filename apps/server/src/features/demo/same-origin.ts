// Refuses calls that another site's page makes a visitor's browser send.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';

/**
 * An `onRequest` hook. Browsers say where a call comes from and pages cannot change what they say: by `Sec-Fetch-Site`
 * on https and loopback, by `Origin` everywhere. A call that says neither comes from no page, and is refused as well.
 */
export async function requireSameOrigin({ headers, host }: FastifyRequest): Promise<void> {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined ? URL.parse(origin ?? '')?.host === host : site === 'same-origin') return;
  throw new AppError('forbidden', 'The demo takes calls from its own page only.');
}

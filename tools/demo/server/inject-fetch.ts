// A `fetch` for the SDK that reaches the running service without a socket, so that self-signed
// certificates do not matter.
import type { HttpServer } from '../../../apps/server/src/platform/http/types.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Statuses without a body, as Response requires. */
const BODILESS = new Set([204, 205, 304]);

/**
 * `baseUrl` is the SDK's setting. A path in it is a proxy's prefix, which the service does not see.
 */
export function createInjectFetch(http: HttpServer, baseUrl: string): Fetch {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  return async (url, { method = 'GET', headers, body, signal }) => {
    signal?.throwIfAborted();
    const { pathname, search } = new URL(url);
    if (!pathname.startsWith(`${prefix}/`)) throw new TypeError('the call leaves the service');
    const reply = await http.inject({
      method: method as 'GET' | 'POST' | 'DELETE',
      url: `${pathname.slice(prefix.length)}${search}`,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' ? { payload: body } : {}),
    });
    const known = Object.entries(reply.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    return new Response(BODILESS.has(reply.statusCode) ? null : reply.body, {
      status: reply.statusCode,
      headers: known,
    });
  };
}

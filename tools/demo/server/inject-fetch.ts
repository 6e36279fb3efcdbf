// A `fetch` for the SDK that reaches the running service without a socket: no certificate of its own is in the way.
import type { HttpServer } from '../../../apps/server/src/platform/http/types.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Statuses whose replies have no body, which a Response insists on. */
const BODILESS = new Set([204, 205, 304]);

/** `baseUrl` is what the SDK is told; a path in it is a proxy's prefix, which the service itself does not see. */
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

// The cookie that an operator's session is carried in.
import type { FastifyRequest } from 'fastify';

export interface SessionCookie {
  read(request: Pick<FastifyRequest, 'headers'>): string | undefined;
  set(token: string): string;
  /** For sign-out. */
  clear: string;
}

/**
 * `__Host-` keeps other hosts below the same domain from setting it. Browsers take that over https only, so that on this
 * machine's http it has a plain name.
 */
export function createSessionCookie(secure: boolean): SessionCookie {
  const name = secure ? '__Host-limen-console' : 'limen-console';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return {
    read({ headers }) {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
      const values = pairs.filter(([key]) => key === name).map(([, value]) => value ?? '');
      // Two of one name: somebody else has set one of them, and which is not to be known.
      return values.length === 1 ? values[0] : undefined;
    },
    set: (token) => `${name}=${token}; ${attributes}`,
    clear: `${name}=; ${attributes}; Max-Age=0`,
  };
}

// Cookies of the console: one for an operator's session, one for the way to an identity provider and back.
import type { FastifyRequest } from 'fastify';

export function createSessionCookie(secure: boolean) {
  return createCookie('limen-console', secure, 'SameSite=Strict');
}

export function createFlowCookie(secure: boolean, seconds: number) {
  return createCookie('limen-console-flow', secure, `SameSite=Lax; Max-Age=${seconds}`);
}

/** `__Host-` keeps other hosts of the domain from setting the cookie. Browsers want https for it. */
function createCookie(plainName: string, secure: boolean, lasting: string) {
  const name = secure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; ${lasting}${secure ? '; Secure' : ''}`;
  return {
    read({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
      const values = pairs.filter(([key]) => key === name).map(([, value]) => value ?? '');
      // With two of the name, another host has set one of them, and it is unknown which.
      return values.length === 1 ? values[0] : undefined;
    },
    set: (value: string) => `${name}=${value}; ${attributes}`,
    /** Removes the cookie: the last of two `Max-Age` attributes counts. */
    clear: `${name}=; ${attributes}; Max-Age=0`,
  };
}

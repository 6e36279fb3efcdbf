// The cookies of the console: one that an operator's session is carried in, one for the way to an identity provider and back.
import type { FastifyRequest } from 'fastify';

export type ConsoleCookie = ReturnType<typeof createCookie>;

export function createSessionCookie(secure: boolean) {
  return createCookie('limen-console', secure, 'SameSite=Strict');
}

/** `Lax`: it has to come along when the provider sends somebody back. */
export function createFlowCookie(secure: boolean, seconds: number) {
  return createCookie('limen-console-flow', secure, `SameSite=Lax; Max-Age=${seconds}`);
}

/**
 * `__Host-` keeps other hosts below the same domain from setting it. Browsers take that over https only, so that on this
 * machine's http it has a plain name.
 */
function createCookie(plainName: string, secure: boolean, lasting: string) {
  const name = secure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; ${lasting}${secure ? '; Secure' : ''}`;
  return {
    read({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
      const values = pairs.filter(([key]) => key === name).map(([, value]) => value ?? '');
      // Two of one name: somebody else has set one of them, and which is not to be known.
      return values.length === 1 ? values[0] : undefined;
    },
    set: (value: string) => `${name}=${value}; ${attributes}`,
    /** Removes the cookie: the last of two ages counts. */
    clear: `${name}=; ${attributes}; Max-Age=0`,
  };
}

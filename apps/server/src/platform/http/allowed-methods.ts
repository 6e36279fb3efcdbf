// Distinguishes an unknown path (404) from a known path with the wrong method (405 with Allow).
import createRouter from 'find-my-way';
import type { HttpServer } from './types.ts';

/** Returns a function that lists the methods of a path, none if no route matches. It matches with the router that Fastify uses. */
export function watchAllowedMethods(app: HttpServer): (path: string) => string[] {
  const methodsByPattern = new Map<string, Set<string>>();
  let router: ReturnType<typeof createRouter> | undefined;
  app.addHook('onRoute', ({ url, method }) => {
    // The wildcard routes of preflights do not say which paths exist.
    if (url.endsWith('*')) return;
    const methods = methodsByPattern.get(url) ?? new Set();
    methodsByPattern.set(url, methods);
    for (const name of [method].flat()) methods.add(name);
    router = undefined;
  });
  return (path) => {
    // Built at the first use, to keep the start short.
    if (!router) {
      router = createRouter();
      for (const [pattern, methods] of methodsByPattern) router.on('GET', pattern, () => {}, methods);
    }
    const methods = router.find('GET', path)?.store as Set<string> | undefined;
    return methods ? [...methods].sort() : [];
  };
}

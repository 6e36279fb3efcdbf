// Tells an unknown path (404) from a known one asked with the wrong method (405 with Allow).
import createRouter from 'find-my-way';
import type { HttpServer } from './types.ts';

export type AllowedMethods = ReturnType<typeof watchAllowedMethods>;

/** Watches routes as they are registered and matches with the same router that Fastify uses. */
export function watchAllowedMethods(app: HttpServer) {
  const methodsByPattern = new Map<string, Set<string>>();
  let router: ReturnType<typeof createRouter> | undefined;
  app.addHook('onRoute', ({ url, method }) => {
    // A route for whatever follows, as preflights have, does not say which paths there are.
    if (url.endsWith('*')) return;
    const methods = methodsByPattern.get(url) ?? new Set();
    methodsByPattern.set(url, methods);
    for (const name of [method].flat()) methods.add(name);
    router = undefined;
  });
  return {
    /** Returns the methods of the route that a path belongs to; none if there is no route. */
    of(path: string): string[] {
      router ??= routeTo(methodsByPattern); // not at the start, which is to be short
      const methods = router.find('GET', path)?.store as Set<string> | undefined;
      return methods ? [...methods].sort() : [];
    },
  };
}

function routeTo(methodsByPattern: ReadonlyMap<string, Set<string>>): ReturnType<typeof createRouter> {
  const router = createRouter();
  for (const [pattern, methods] of methodsByPattern) router.on('GET', pattern, () => {}, methods);
  return router;
}

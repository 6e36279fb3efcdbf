// Tells an unknown path (404) from a known one asked with the wrong method (405 with Allow).
import createRouter from 'find-my-way';
import type { HttpServer } from './types.ts';

export interface AllowedMethods {
  /** Methods of the route that a path belongs to; empty when there is none. */
  of(path: string): string[];
}

/** Watches routes as they are registered and matches with the same router that Fastify uses. */
export function watchAllowedMethods(app: HttpServer): AllowedMethods {
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
    of(path) {
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

// Scopes for routes that read bodies or refuse differently.
import type { HttpServer } from './types.ts';

/** Without a name, Fastify searches all loaded modules for the scope, twice. */
const NAME = { [Symbol.for('fastify.display-name')]: 'own scope' };

export function inOwnScope(app: HttpServer, register: (scope: HttpServer) => void): void {
  const open: Parameters<HttpServer['register']>[0] = (scope: unknown, _options: unknown, done: () => void) => {
    register(scope as HttpServer);
    done();
  };
  void app.register(Object.assign(open, NAME));
}

// A scope of their own for routes that read bodies or refuse in another way than all others.
import type { HttpServer } from './types.ts';

/** Fastify looks for a scope without a name among all modules that are loaded, twice for each. */
const NAME = { [Symbol.for('fastify.display-name')]: 'own scope' };

export function inOwnScope(app: HttpServer, register: (scope: HttpServer) => void): void {
  const open: Parameters<HttpServer['register']>[0] = (scope: unknown, _options: unknown, done: () => void) => {
    register(scope as HttpServer);
    done();
  };
  void app.register(Object.assign(open, NAME));
}

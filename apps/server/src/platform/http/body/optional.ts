// The rule for bodies that may be left out: where no field is required, no body counts as an empty object.
import type { preValidationHookHandler, RouteOptions } from 'fastify';

/** True of JSON objects all of whose fields are optional; of bytes and forms never. */
export function mayBeLeftOut(schema: unknown): boolean {
  const { type, required = [] } = (schema ?? {}) as { type?: unknown; required?: unknown[] };
  return type === 'object' && required.length === 0;
}

/** After the route's own checks, which may look at the bytes that came. */
export function takeMissingBodyAsEmpty(route: RouteOptions): void {
  if (!mayBeLeftOut(route.schema?.body)) return;
  const fill: preValidationHookHandler = (request, _reply, done) => {
    if (request.body === undefined) request.body = {};
    done();
  };
  route.preValidation = [...[route.preValidation ?? []].flat(), fill];
}

interface DescribedPaths {
  paths?: Record<string, Record<string, { requestBody?: { required?: boolean; content: Record<string, unknown> } }>>;
}

/** In the reference as it is in the service; what writes the reference calls every body required. */
export function describeOptionalBodies(document: DescribedPaths): void {
  for (const { requestBody } of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    const { schema } = (requestBody?.content['application/json'] ?? {}) as { schema?: unknown };
    if (requestBody && mayBeLeftOut(schema)) requestBody.required = false;
  }
}

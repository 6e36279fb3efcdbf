// The schemas with a name, for all routes of a server together: ours are constants, so nobody needs copies of his own.

export type NamedSchemas = Readonly<Record<string, object>>;

/** Fastify makes one for each of its contexts, from what the context around it has; copies took a tenth of the start. */
export function shareNamedSchemas(schemas: Record<string, object> = {}) {
  return {
    add(schema: { $id: string }): void {
      schemas[schema.$id] = schema;
    },
    getSchema: (name: string) => schemas[name],
    getSchemas: () => schemas,
  };
}

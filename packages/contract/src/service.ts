// Service descriptor, health and readiness.
import { type Static, Type } from 'typebox';

export const ServiceDescriptor = Type.Object(
  {
    service: Type.String({ description: 'Name of the service.' }),
    version: Type.String({ description: 'Version of the service.' }),
    endpoints: Type.Object(
      {
        health: Type.String(),
        createString: Type.Optional(Type.String()),
        listStrings: Type.Optional(Type.String()),
        getString: Type.Optional(Type.String()),
        deleteString: Type.Optional(Type.String()),
      },
      {
        description:
          'Operations of the string store, each as `<METHOD> <path>`. A process that does not serve the string store (`SERVE` without `core`) lists only `health`.',
      },
    ),
  },
  { $id: 'ServiceDescriptor' },
);
export type ServiceDescriptor = Static<typeof ServiceDescriptor>;

export const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')], {
      description: '`ok` with status 200. `unavailable` with status 503 while the database does not respond.',
    }),
    service: Type.String(),
    version: Type.String(),
    uptimeSeconds: Type.Integer({ minimum: 0 }),
  },
  { $id: 'Health' },
);
export type Health = Static<typeof Health>;

export const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not ready')]),
    checks: Type.Record(Type.String(), Type.String(), {
      description: 'State of each component by name: `ready`, or the work in progress.',
    }),
  },
  { $id: 'Readiness' },
);
export type Readiness = Static<typeof Readiness>;

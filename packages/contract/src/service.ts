// What the service says about itself: descriptor, health and readiness.
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
          'The string store’s operations, each as `<METHOD> <path>`. A process that does not serve it (`SERVE` without `core`) lists only `health`.',
      },
    ),
  },
  { $id: 'ServiceDescriptor' },
);
export type ServiceDescriptor = Static<typeof ServiceDescriptor>;

export const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')], {
      description: '`ok` with 200; `unavailable` with 503 while the database does not answer.',
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
      description: 'Each part by name: `ready`, or what it is still busy with.',
    }),
  },
  { $id: 'Readiness' },
);
export type Readiness = Static<typeof Readiness>;

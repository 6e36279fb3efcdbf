// The OpenAPI document, generated from the schemas that also validate.
import swagger from '@fastify/swagger';
import { collectReferencedSchemas, ErrorReply, listWebhookEvents, ref, WEBHOOK_EVENTS } from '@limen/contract';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { jsonText } from '../body/json-text.ts';
import type { HttpServer } from '../types.ts';
import { completeOperations } from './complete-operations.ts';

/** Call it before the routes are added, because it watches them. */
export async function describeApi(app: HttpServer, version: string): Promise<void> {
  app.addHook('onRoute', function ({ schema }) {
    bringNamedSchemas(this, schema);
  });
  const webhookBodies = Object.values(WEBHOOK_EVENTS).flatMap(({ bodies }) => bodies.map((body) => ref(body)));
  bringNamedSchemas(app, [...webhookBodies, ref(ErrorReply)]);
  await (app as unknown as FastifyInstance).register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Limen',
        version,
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
        description:
          'Self-hosted identity and age verification. Errors carry their stable code in `x-error-code`. In a JSON body, null counts as left out. Unknown fields are ignored, and replies to creating calls name them in `warnings`; with `Prefer: handling=strict` they are refused. docs/versioning.md lists what can change in a release and how operations are deprecated.',
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          client: {
            type: 'http',
            scheme: 'basic',
            description: 'Client id and secret, in addition to the API key; only for keys created with them.',
          },
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description:
              'A token from the issuer in `OIDC_ISSUER`, in addition to the API key. Ignored if no issuer is configured.',
          },
          metricsToken: { type: 'http', scheme: 'bearer', description: 'The value of `METRICS_TOKEN`, if it is set.' },
        },
      },
      webhooks: describeWebhooks(),
    },
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, operationId: nameOperation(String(route.method), url) },
      url,
    }),
    transformObject(described) {
      if ('swaggerObject' in described) return described.swaggerObject;
      completeOperations(described.openapiObject);
      return described.openapiObject;
    },
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, index) => String(json.$id ?? `Schema${index}`) },
  });
}

/** Adds each named schema with the first route that refers to it. */
function bringNamedSchemas(app: Pick<FastifyInstance, 'getSchema' | 'addSchema'>, described: unknown): void {
  for (const [name, schema] of collectReferencedSchemas(described)) {
    if (!app.getSchema(name)) app.addSchema(schema);
  }
}

/** Names an operation for generated clients: `GET /strings/:id` is `getStringsById`. */
function nameOperation(method: string, url: string): string {
  if (url === '/') return `${method.toLowerCase()}Descriptor`;
  const words = url.split('/').flatMap((segment) => {
    const isParameter = segment.startsWith(':');
    return [...(isParameter ? ['by'] : []), ...segment.split(/[^A-Za-z0-9]+/)].filter((word) => word !== '');
  });
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
}

export function registerOpenApiRoute(app: HttpServer): void {
  app.get(
    '/openapi.json',
    {
      config: { unlimited: true },
      schema: {
        tags: ['Operation'],
        summary: 'This reference as OpenAPI 3.1',
        response: { 200: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }) },
      },
    },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(jsonText(app.swagger())),
  );
}

const DESCRIPTION =
  'Sent to `callback.url` and signed: `x-service-signature` is `sha256=` followed by the hex HMAC-SHA256 of timestamp, a dot and the raw body, keyed with the API key that created the session. Repeated until you answer 2xx.';

export function describeWebhooks() {
  return Object.fromEntries(
    listWebhookEvents().map(({ event, when, bodies }) => [event, { post: describeCall(event, when, bodies) }]),
  );
}

function describeCall(event: string, summary: string, bodies: readonly string[]) {
  const refs = bodies.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const words = event.split(/\W|_/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return {
    operationId: `on${words.join('')}`,
    // No scheme of OpenAPI describes the signature; it is in the parameters.
    security: [],
    summary,
    description: DESCRIPTION,
    parameters: [
      describeHeader('x-service-timestamp', 'When it was signed, in Unix seconds.'),
      describeHeader('x-service-signature', 'The signature; compare in constant time.'),
      describeHeader('x-service-attempt', 'The number of the attempt, from 1.'),
      describeHeader('webhook-id', 'The id of the event, equal for all attempts.'),
    ],
    requestBody: {
      content: { 'application/json': { schema: refs.length === 1 ? { ...refs[0] } : { oneOf: refs } } },
    },
    responses: { '2XX': { description: 'Accepted.' }, 410: { description: 'No longer wanted: Limen stops trying.' } },
  };
}

function describeHeader(name: string, description: string) {
  return { in: 'header' as const, name, description, required: true, schema: { type: 'string' as const } };
}

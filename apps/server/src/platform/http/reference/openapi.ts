// The OpenAPI document, generated from the schemas that also validate.
import swagger from '@fastify/swagger';
import { AgeSessionResult, findReferred, ref, VerificationFailure, VerificationWebhook } from '@limen/contract';
import type { FastifyInstance } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { jsonText } from '../body/json-text.ts';
import { describeOptionalBodies } from '../body/optional-body.ts';
import type { HttpServer } from '../http-server.ts';

const WEBHOOK_BODIES = {
  ageSessionEnded: [AgeSessionResult],
  verificationSessionEnded: [VerificationWebhook, VerificationFailure],
};

/** Must come before the routes, which it watches. */
export async function describeApi(app: HttpServer, version: string): Promise<void> {
  app.addHook('onRoute', function ({ schema }) {
    bringNamedSchemas(this, schema);
  });
  bringNamedSchemas(
    app,
    Object.values(WEBHOOK_BODIES)
      .flat()
      .map((body) => ref(body)),
  );
  await (app as unknown as FastifyInstance).register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Limen',
        version,
        description: 'Self-hosted identity and age verification. Errors carry their stable code in `x-error-code`.',
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          client: {
            type: 'http',
            scheme: 'basic',
            description: 'Client id and secret, beside the API key; only for keys that were made with them.',
          },
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'Of the issuer in `OIDC_ISSUER`, beside the API key. Without one it is not looked at.',
          },
        },
      },
      webhooks: {
        ageSessionEnded: webhookOf('an age session', WEBHOOK_BODIES.ageSessionEnded),
        verificationSessionEnded: webhookOf('a verification session', WEBHOOK_BODIES.verificationSessionEnded),
      },
    },
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, operationId: nameOperation(String(route.method), url) },
      url,
    }),
    transformObject(described) {
      if ('swaggerObject' in described) return described.swaggerObject;
      describeOptionalBodies(described.openapiObject as Parameters<typeof describeOptionalBodies>[0]);
      return described.openapiObject;
    },
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, index) => String(json.$id ?? `Schema${index}`) },
  });
}

/** A schema with a name comes with the first route that refers to it. */
function bringNamedSchemas(app: Pick<FastifyInstance, 'getSchema' | 'addSchema'>, described: unknown): void {
  for (const [name, schema] of findReferred(described)) {
    if (!app.getSchema(name)) app.addSchema(schema);
  }
}

function webhookOf(what: string, bodies: readonly (TSchema & { $id?: string })[]) {
  const refs = bodies.map(({ $id }) => ({ $ref: `#/components/schemas/${$id}` }));
  return {
    post: {
      summary: `The end of ${what}`,
      description:
        'Sent to `callback.url`, signed: `x-service-signature` is `sha256=` and the HMAC-SHA256 of timestamp, a dot and the raw body, in hex, keyed with the API key of the session. Repeated until a 2xx comes.',
      parameters: [
        headerOf('x-service-timestamp', 'Unix seconds of the signing.'),
        headerOf('x-service-signature', 'What to compare with, in constant time.'),
        headerOf('x-service-attempt', 'From 1.'),
        headerOf('webhook-id', 'The same for every attempt.'),
      ],
      requestBody: {
        content: { 'application/json': { schema: refs.length === 1 ? { ...refs[0] } : { oneOf: refs } } },
      },
      responses: { '2XX': { description: 'Taken.' }, 410: { description: 'Not wanted any more: it stops.' } },
    },
  };
}

function headerOf(name: string, description: string) {
  return { in: 'header' as const, name, description, required: true, schema: { type: 'string' as const } };
}

/** What generated clients call an operation: `GET /strings/:id` is `getStringsById`. */
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
        summary: 'This reference for programs, OpenAPI 3.1',
        response: { 200: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }) },
      },
    },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(jsonText(app.swagger())),
  );
}

// The OpenAPI document, generated from the schemas that also validate.
import swagger from '@fastify/swagger';
import {
  AgeOutcome,
  AgeSessionError,
  AgeSessionResult,
  ClaimReply,
  CreatedAgeSession,
  Dataset,
  DatasetList,
  DeviceView,
  EnrollReply,
  EnrollUnusableReply,
  ErrorReply,
  Feature,
  HandoffReply,
  Health,
  Indicators,
  ListedMatch,
  MatchedRow,
  NodeStatusReply,
  NotRecognizedReply,
  PlainEnrollReply,
  PlainNotRecognizedReply,
  PlainPredictListReply,
  PlainPredictReply,
  PredictListReply,
  PredictReply,
  PredictUnusableReply,
  Readiness,
  RiskEvaluation,
  RiskSignal,
  ScreenedRow,
  ScreeningReply,
  ServiceDescriptor,
  StringPage,
  StringRecord,
  WebhookDelivery,
  WebhookDeliveryPage,
} from '@limen/contract';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { HttpServer } from './server.ts';

const SHARED_SCHEMAS = [
  AgeOutcome,
  AgeSessionError,
  AgeSessionResult,
  ClaimReply,
  CreatedAgeSession,
  Dataset,
  DatasetList,
  DeviceView,
  EnrollReply,
  EnrollUnusableReply,
  ErrorReply,
  Feature,
  HandoffReply,
  Health,
  Indicators,
  ListedMatch,
  MatchedRow,
  NodeStatusReply,
  NotRecognizedReply,
  PlainEnrollReply,
  PlainNotRecognizedReply,
  PlainPredictListReply,
  PlainPredictReply,
  PredictListReply,
  PredictReply,
  PredictUnusableReply,
  Readiness,
  RiskEvaluation,
  RiskSignal,
  ScreenedRow,
  ScreeningReply,
  ServiceDescriptor,
  StringPage,
  StringRecord,
  WebhookDelivery,
  WebhookDeliveryPage,
];

/** Must come before the routes, which it watches. */
export async function describeApi(app: HttpServer, version: string): Promise<void> {
  for (const schema of SHARED_SCHEMAS) app.addSchema(schema);
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
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'Of the issuer in `OIDC_ISSUER`, beside the API key. Without one it is not looked at.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, index) => String(json.$id ?? `Schema${index}`) },
  });
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
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
  );
}

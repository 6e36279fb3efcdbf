// HTTP of the age sessions.
import {
  AgeSessionResult,
  CreateAgeSessionRequest,
  CreatedAgeSession,
  DeletionReceipt,
  ErrorReply,
  METADATA_MAX_BYTES,
  ref,
  SimulateAgeSessionRequest,
} from '@limen/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ownerOf } from '../../platform/api-keys/owner.ts';
import type { SessionToken } from '../../platform/base/ids.ts';
import { type Access, callerOf } from '../../platform/http/access.ts';
import type { Bearer } from '../../platform/http/bearer/bearer.ts';
import { prefersJwt } from '../../platform/http/body/negotiation.ts';
import { readCreation } from '../../platform/http/body/read-creation.ts';
import { orSigned, sendJwt, signedOnly } from '../../platform/http/body/signed-reply.ts';
import { pathName } from '../../platform/http/path-name.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { IDEMPOTENCY_HEADER } from '../../platform/idempotency/header.ts';
import type { Signing } from '../../signing/sign.ts';
import type { AgeSessions } from './service.ts';

/** Room for metadata that is too large, so that the refusal can say so, and for headers with every character escaped. */
const BODY_LIMIT = METADATA_MAX_BYTES * 6 + 160 * 1024;

const TokenPath = Type.Object({ token: pathName<SessionToken>('The `token` from the creation reply.') });

interface AgeSessionRoutes {
  ageSessions: AgeSessions;
  access: Access;
  /** Undefined when no issuer of bearer tokens is configured. */
  checkBearer?: Bearer['check'] | undefined;
  signing: Pick<Signing, 'sign' | 'deleteWithReceipt'>;
}

export function registerAgeSessionRoutes(
  app: HttpServer,
  { ageSessions, access, checkBearer, signing }: AgeSessionRoutes,
): void {
  const tags = ['Age sessions'];
  const security = [{ apiKey: [] }];
  const unknownKey = ref(ErrorReply, 'The API key is missing, unknown or inactive.');
  const notFound = ref(ErrorReply, 'There is no such session, it was purged, or it belongs to another customer.');

  app.post(
    '/session',
    {
      // The key first: without one, a token is not worth the work of checking it.
      onRequest: [access.requireApiKey, ...(checkBearer ? [checkBearer] : [])],
      bodyLimit: BODY_LIMIT,
      config: { keepsTextOf: 'metadata' },
      schema: {
        tags,
        security: [{ apiKey: [] }, { apiKey: [], bearer: [] }],
        summary: 'Create an age session',
        description:
          'Every field is optional, and so is the body. If `OIDC_ISSUER` is set, any bearer token you send must come from that issuer.',
        headers: Type.Object(IDEMPOTENCY_HEADER),
        body: CreateAgeSessionRequest,
        response: {
          201: ref(CreatedAgeSession, 'Created and saved to disk.'),
          400: ref(ErrorReply, 'The body is not JSON, or a field has a wrong type or value.'),
          401: ref(ErrorReply, 'The API key is missing, unknown or inactive, or the bearer token is not accepted.'),
          413: ref(ErrorReply, 'The body is too large.'),
          415: ref(ErrorReply, 'The body is not sent as application/json.'),
          422: ref(ErrorReply, 'The Idempotency-Key was used with another body.'),
          503: ref(ErrorReply, 'The keys of the bearer token’s issuer cannot be fetched at the moment.'),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const creation = readCreation(request, CreateAgeSessionRequest);
      const metadataText = body.metadata === undefined ? null : request.memberText;
      return reply.code(201).send(await ageSessions.create(callerOf(request), body, creation, metadataText));
    },
  );

  app.get(
    '/session/:token/result',
    {
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        if (request.headers['x-api-key']) await access.requireApiKey(request, reply);
      },
      schema: {
        tags,
        summary: 'Read the result of an age session',
        description:
          'The token is the credential. No API key is needed; if you send one, it must belong to the owner. Until the end there is no `flowStatus`, `result` or `riskEvaluation`. With `Accept: application/jwt` the same object without `token`, signed; see docs/signed-results.md.',
        params: TokenPath,
        response: {
          200: orSigned(ref(AgeSessionResult, 'The result, or what is known before the end.')),
          401: ref(ErrorReply, 'The API key sent along is unknown or inactive.'),
          404: notFound,
        },
      },
    },
    async (request, reply) => {
      const { owner, result } = await ageSessions.readResult(request.params.token, request.apiKey);
      if (!prefersJwt(request.headers.accept)) return result;
      const { token: _, ...told } = result; // a credential: it is not for those whom the JWT is shown to
      return sendJwt(reply, await signing.sign(owner, 'limen-age-result+jwt', told));
    },
  );

  app.delete(
    '/session/:token',
    {
      onRequest: access.requireApiKey,
      schema: {
        tags,
        security,
        summary: 'Redact an age session',
        description:
          'Deletes the session, its result and the bodies of its webhooks at once, and what is kept of it for a reviewer, also after its retention. No webhook is sent for it. With `Accept: application/jwt` the answer is a signed receipt.',
        params: TokenPath,
        response: {
          200: signedOnly(ref(DeletionReceipt), 'Deleted; the receipt that was asked for.'),
          204: Type.Null({ description: 'Deleted.' }),
          401: unknownKey,
          404: notFound,
        },
      },
    },
    async (request, reply) => {
      const [key, { token: id }] = [callerOf(request), request.params];
      const deletion = { owner: ownerOf(key), kind: 'age_session', id } as const;
      const receipt = await signing.deleteWithReceipt(request.headers.accept, deletion, () =>
        ageSessions.redact(key, id),
      );
      return receipt === undefined ? reply.code(204).send(null) : sendJwt(reply, receipt);
    },
  );

  app.post(
    '/session/:token/simulate',
    {
      onRequest: access.requireApiKey,
      schema: {
        tags,
        security,
        summary: 'Simulate the end of an age session',
        description: 'For testing an integration: the session ends as if a device had answered, including the webhook.',
        params: TokenPath,
        body: SimulateAgeSessionRequest,
        response: {
          200: ref(AgeSessionResult, 'The session has ended with this result.'),
          400: ref(ErrorReply, 'The session cannot end like this.'),
          409: ref(ErrorReply, 'The session has already ended.'),
          401: unknownKey,
          403: ref(ErrorReply, 'This key, or the one that created the session, is a live key.'),
          404: notFound,
          413: ref(ErrorReply, 'The body is too large.'),
          415: ref(ErrorReply, 'The body is not sent as application/json.'),
        },
      },
    },
    async (request) => ageSessions.simulate(callerOf(request), request.params.token, request.body),
  );
}

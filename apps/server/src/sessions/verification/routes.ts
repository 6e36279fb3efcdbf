// HTTP of the verification sessions, for the host.
import {
  CreatedVerificationSession,
  CreateVerificationSessionRequest,
  DeletionReceipt,
  ErrorReply,
  ref,
  SimulateVerificationSessionRequest,
  VerificationSessionResult,
} from '@limen/contract';
import { Type } from 'typebox';
import { ownerOf } from '../../platform/api-keys/owner.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { type Access, clientOf } from '../../platform/http/access.ts';
import { prefersJwt } from '../../platform/http/body/negotiation.ts';
import { readCreation } from '../../platform/http/body/read-creation.ts';
import { orSigned, sendJwt, signedOnly } from '../../platform/http/body/signed-reply.ts';
import { pathName } from '../../platform/http/path-name.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { IDEMPOTENCY_HEADER } from '../../platform/idempotency/header.ts';
import type { Signing } from '../../signing/sign.ts';
import type { VerificationSessions } from './service.ts';

const PATH = '/v2/verification-session';
/** The largest headers with every character escaped as \\uXXXX, and room around them. */
const BODY_LIMIT = 160 * 1024;

const SessionPath = Type.Object({
  sessionId: pathName<SessionId>('The `sessionId` from the creation reply.'),
});

interface VerificationSessionRoutes {
  verificationSessions: VerificationSessions;
  access: Access;
  signing: Pick<Signing, 'sign' | 'deleteWithReceipt'>;
}

export function registerVerificationSessionRoutes(
  app: HttpServer,
  { verificationSessions, access, signing }: VerificationSessionRoutes,
): void {
  const common = {
    tags: ['Verification sessions'],
    security: [{ apiKey: [] }, { apiKey: [], client: [] }],
  };
  const unknownKey = ref(
    ErrorReply,
    'The API key is missing, unknown or inactive; or it has client credentials, and they are missing or wrong.',
  );
  const notFound = ref(
    ErrorReply,
    'There is no such session, it was purged, or it belongs to another customer or world.',
  );
  const badBody = {
    400: ref(ErrorReply, 'The body is not JSON, or a field is missing or has a wrong type or value.'),
    413: ref(ErrorReply, 'The body is too large.'),
    415: ref(ErrorReply, 'The body is not sent as application/json.'),
  };

  app.post(
    PATH,
    {
      onRequest: access.requireClient,
      bodyLimit: BODY_LIMIT,
      schema: {
        ...common,
        summary: 'Create a verification session',
        description:
          'Send the person to `launchUrl`; the outcome arrives as a webhook. A key created with client credentials needs them too, as HTTP Basic.',
        headers: Type.Object(IDEMPOTENCY_HEADER),
        body: CreateVerificationSessionRequest,
        response: {
          201: ref(CreatedVerificationSession, 'Created and saved to disk.'),
          ...badBody,
          401: unknownKey,
          422: ref(ErrorReply, 'The Idempotency-Key was used with another body.'),
          507: ref(ErrorReply, '`store_full`: an ENROLL while there is no room for more people (`MAX_PEOPLE`).'),
        },
      },
    },
    async (request, reply) => {
      const creation = readCreation(request, CreateVerificationSessionRequest);
      return reply.code(201).send(await verificationSessions.create(clientOf(request), request.body, creation));
    },
  );

  app.get(
    `${PATH}/:sessionId/result`,
    {
      onRequest: access.requireClient,
      schema: {
        ...common,
        summary: 'Read the result of a verification session',
        description:
          '`PENDING` until the end; then what the webhook says, without images. With `Accept: application/jwt` the same object, signed; see docs/signed-results.md.',
        params: SessionPath,
        response: {
          200: orSigned(ref(VerificationSessionResult, 'The result, or that there is none yet.')),
          401: unknownKey,
          404: notFound,
        },
      },
    },
    async (request, reply) => {
      const key = clientOf(request);
      const result = await verificationSessions.getResult(key, request.params.sessionId);
      if (!prefersJwt(request.headers.accept)) return result;
      return sendJwt(reply, await signing.sign(ownerOf(key), 'limen-verification-result+jwt', result));
    },
  );

  app.delete(
    `${PATH}/:sessionId`,
    {
      onRequest: access.requireClient,
      schema: {
        ...common,
        summary: 'Redact a verification session',
        description:
          'Deletes the session, its result and the bodies of its webhooks at once, and what is kept of it for a reviewer, also after its retention. No webhook is sent for it. A person enrolled by it stays; one whose enrolment had not ended is deleted. With `Accept: application/jwt` the answer is a signed receipt.',
        params: SessionPath,
        response: {
          200: signedOnly(ref(DeletionReceipt), 'Deleted; the receipt that was asked for.'),
          204: Type.Null({ description: 'Deleted.' }),
          401: unknownKey,
          404: notFound,
        },
      },
    },
    async (request, reply) => {
      const [key, { sessionId: id }] = [clientOf(request), request.params];
      const deletion = { owner: ownerOf(key), kind: 'verification_session', id } as const;
      const receipt = await signing.deleteWithReceipt(request.headers.accept, deletion, () =>
        verificationSessions.redact(key, id),
      );
      return receipt === undefined ? reply.code(204).send(null) : sendJwt(reply, receipt);
    },
  );

  app.post(
    `${PATH}/:sessionId/trust-device`,
    {
      onRequest: access.requireClient,
      schema: {
        ...common,
        summary: 'Trust the device of a verification session',
        description:
          'For after you have reviewed a success with the flag `NEW_DEVICE`. From now on, the device and the passkey that the session bound or used vouch for the person, so the next sign-in with them no longer has the flag. The person’s devices and passkeys that no host has ever trusted no longer vouch for them. Takes no body, and may be repeated.',
        params: SessionPath,
        response: {
          204: Type.Null({ description: 'Trusted.' }),
          401: unknownKey,
          404: notFound,
          409: ref(
            ErrorReply,
            '`nothing_to_trust`: the session did not end well, or nothing is left of what it bound or used.',
          ),
        },
      },
    },
    async (request, reply) => {
      await verificationSessions.trustDevice(clientOf(request), request.params.sessionId);
      return reply.code(204).send(null);
    },
  );

  app.post(
    `${PATH}/:sessionId/simulate`,
    {
      onRequest: access.requireClient,
      schema: {
        ...common,
        summary: 'Simulate the end of a verification session',
        description: 'For testing an integration: the session ends as if a device had answered, including the webhook.',
        params: SessionPath,
        body: SimulateVerificationSessionRequest,
        response: {
          200: ref(VerificationSessionResult, 'The session has ended with this result.'),
          ...badBody,
          401: unknownKey,
          403: ref(ErrorReply, 'This key, or the one that created the session, is a live key.'),
          404: notFound,
          409: ref(ErrorReply, 'The session has already ended.'),
        },
      },
    },
    async (request) => verificationSessions.simulate(clientOf(request), request.params.sessionId, request.body),
  );
}

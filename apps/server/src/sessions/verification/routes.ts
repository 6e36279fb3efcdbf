// HTTP of the verification sessions, for the host.
import {
  CreatedVerificationSession,
  CreateVerificationSessionRequest,
  DeletionReceipt,
  ref,
  SimulateVerificationSessionRequest,
  VerificationSessionResult,
} from '@limen/contract';
import { Type } from 'typebox';
import { toOwner } from '../../platform/api-keys/owner.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { prefersJwt } from '../../platform/http/body/negotiation.ts';
import { orSigned, sendJwt, signedOnly } from '../../platform/http/body/signed-reply.ts';
import { pathName } from '../../platform/http/paths.ts';
import { hostRoutes } from '../../platform/http/route.ts';
import type { SigningDoor } from '../../signing/open.ts';
import { MAX_VERIFICATION_BODY_BYTES } from '../limits.ts';
import type { VerificationSessions } from './service.ts';

const PATH = '/v2/verification-session';

const SessionPath = Type.Object({
  sessionId: pathName<SessionId>('The `sessionId` from the creation reply.'),
});

const NOT_FOUND = 'There is no such session, it was purged, or it belongs to another customer or world.';
const BAD_BODY = 'The body is not JSON, or a field is missing or has a wrong type or value.';

export function registerVerificationSessionRoutes(door: SigningDoor, verificationSessions: VerificationSessions): void {
  const { signing } = door;
  const add = hostRoutes(door, 'Verification sessions', 'client');

  add(
    `POST ${PATH}`,
    {
      summary: 'Create a verification session',
      description:
        'Send the person to `launchUrl`; the outcome arrives as a webhook. A key created with client credentials needs them too, as HTTP Basic.',
      idempotent: true,
      body: CreateVerificationSessionRequest,
      bodyLimit: MAX_VERIFICATION_BODY_BYTES,
      reply: { 201: ref(CreatedVerificationSession, 'Created and saved to disk.') },
      errors: { 400: BAD_BODY, 507: '`store_full`: an ENROLL while there is no room for more people (`MAX_PEOPLE`).' },
    },
    ({ caller, body, creation }) => verificationSessions.create(caller, body, creation),
  );

  add(
    `GET ${PATH}/:sessionId/result`,
    {
      summary: 'Read the result of a verification session',
      description:
        '`PENDING` until the end; then what the webhook says, without images. With `Accept: application/jwt` the same object, signed; see docs/signed-results.md.',
      params: SessionPath,
      reply: { 200: orSigned(ref(VerificationSessionResult, 'The result, or a pending status.')) },
      errors: { 404: NOT_FOUND },
    },
    async ({ caller, params, request, reply }) => {
      const result = await verificationSessions.getResult(caller, params.sessionId);
      if (!prefersJwt(request.headers.accept)) return result;
      return sendJwt(reply, await signing.sign(toOwner(caller), 'limen-verification-result+jwt', result));
    },
  );

  add(
    `DELETE ${PATH}/:sessionId`,
    {
      summary: 'Redact a verification session',
      description:
        'Deletes the session, its result and the bodies of its webhooks at once, and what is kept of it for a reviewer, also after its retention. No webhook is sent for it. A person enrolled by it stays; one whose enrollment had not ended is deleted. With `Accept: application/jwt` the answer is a signed receipt.',
      params: SessionPath,
      reply: {
        200: signedOnly(ref(DeletionReceipt), 'Deleted; the receipt that was asked for.'),
        204: Type.Null({ description: 'Deleted.' }),
      },
      errors: { 404: NOT_FOUND },
    },
    async ({ caller, params, request, reply }) => {
      const { sessionId: id } = params;
      const deletion = { owner: toOwner(caller), kind: 'verification_session', id } as const;
      const receipt = await signing.deleteWithReceipt(request.headers.accept, deletion, () =>
        verificationSessions.redact(caller, id),
      );
      return receipt === undefined ? reply.code(204).send(null) : sendJwt(reply, receipt);
    },
  );

  add(
    `POST ${PATH}/:sessionId/trust-device`,
    {
      summary: 'Trust the device of a verification session',
      description:
        'For after you have reviewed a success with the flag `NEW_DEVICE`. From now on, the device and the passkey that the session bound or used vouch for the person, so the next sign-in with them no longer has the flag. The person’s devices and passkeys that no host has ever trusted no longer vouch for them. Takes no body, and may be repeated.',
      params: SessionPath,
      reply: { 204: Type.Null({ description: 'Trusted.' }) },
      errors: {
        404: NOT_FOUND,
        409: '`nothing_to_trust`: the session did not end well, or nothing is left of what it bound or used.',
      },
    },
    async ({ caller, params }) => {
      await verificationSessions.trustDevice(caller, params.sessionId);
    },
  );

  add(
    `POST ${PATH}/:sessionId/simulate`,
    {
      summary: 'Simulate the end of a verification session',
      description: 'For testing an integration: the session ends as if a device had answered, including the webhook.',
      params: SessionPath,
      body: SimulateVerificationSessionRequest,
      reply: { 200: ref(VerificationSessionResult, 'The session has ended with this result.') },
      errors: {
        400: BAD_BODY,
        403: 'This key, or the one that created the session, is a live key.',
        404: NOT_FOUND,
        409: 'The session has already ended.',
      },
    },
    async ({ caller, body, params }) => verificationSessions.simulate(caller, params.sessionId, body),
  );
}

// HTTP of age sessions, for the host.
import {
  AgeSessionResult,
  CreateAgeSessionRequest,
  CreatedAgeSession,
  DeletionReceipt,
  ref,
  SimulateAgeSessionRequest,
} from '@limen/contract';
import { Type } from 'typebox';
import { toOwner } from '../../platform/api-keys/owner.ts';
import type { SessionToken } from '../../platform/base/ids.ts';
import type { Bearer } from '../../platform/http/bearer/bearer.ts';
import { prefersJwt } from '../../platform/http/body/negotiation.ts';
import { orSigned, sendJwt, signedOnly } from '../../platform/http/body/signed-reply.ts';
import { pathName } from '../../platform/http/paths.ts';
import { hostRoutes } from '../../platform/http/route.ts';
import type { SigningDoor } from '../../signing/open.ts';
import { MAX_AGE_SESSION_BODY_BYTES } from '../limits.ts';
import type { AgeSessions } from './service.ts';

const TokenPath = Type.Object({ token: pathName<SessionToken>('The `token` from the creation reply.') });

const NOT_FOUND = 'There is no such session, it was purged, or it belongs to another customer.';

/** `checkBearer` is undefined if no issuer of bearer tokens is configured. */
export function registerAgeSessionRoutes(
  door: SigningDoor,
  ageSessions: AgeSessions,
  checkBearer: Bearer['check'] | undefined,
): void {
  const { access, signing } = door;
  const add = hostRoutes(door, 'Age sessions', 'key');

  add(
    'POST /session',
    {
      summary: 'Create an age session',
      description:
        'Every field is optional, and so is the body. If `OIDC_ISSUER` is set, any bearer token you send must come from that issuer.',
      idempotent: true,
      body: CreateAgeSessionRequest,
      bodyLimit: MAX_AGE_SESSION_BODY_BYTES,
      config: { keepsTextOf: 'metadata' },
      guard: {
        // Without a valid key the token is not checked.
        onRequest: [access.requireApiKey, ...(checkBearer ? [checkBearer] : [])],
        security: [{ apiKey: [] }, { apiKey: [], bearer: [] }],
      },
      reply: { 201: ref(CreatedAgeSession, 'Created and saved to disk.') },
      errors: {
        400: 'The body is not JSON, or a field has a wrong type or value.',
        401: 'The API key is missing, unknown or inactive, or the bearer token is not accepted.',
        503: 'The keys of the bearer token’s issuer cannot be fetched at the moment.',
      },
    },
    async ({ caller, body, creation, request }) => {
      const metadataText = body.metadata === undefined ? null : request.memberText;
      return await ageSessions.create(caller, body, creation, metadataText);
    },
  );

  add(
    'GET /session/:token/result',
    {
      summary: 'Read the result of an age session',
      description:
        'The token is the credential. No API key is needed; if you send one, it must belong to the owner. Until the end there is no `flowStatus`, `result` or `riskEvaluation`. With `Accept: application/jwt` the same object without `token`, signed; see docs/signed-results.md.',
      params: TokenPath,
      guard: {
        async onRequest(request, reply) {
          if (request.headers['x-api-key']) await access.requireApiKey(request, reply);
        },
      },
      reply: { 200: orSigned(ref(AgeSessionResult, 'The result, or what is known before the end.')) },
      errors: { 401: 'The API key sent along is unknown or inactive.', 404: NOT_FOUND },
    },
    async ({ params, request, reply }) => {
      const { owner, result } = await ageSessions.readResult(params.token, request.apiKey);
      if (!prefersJwt(request.headers.accept)) return result;
      const { token: _, ...shown } = result; // a credential, which readers of the JWT must not get
      return sendJwt(reply, await signing.sign(owner, 'limen-age-result+jwt', shown));
    },
  );

  add(
    'DELETE /session/:token',
    {
      summary: 'Redact an age session',
      description:
        'Deletes the session, its result and the bodies of its webhooks at once, and what is kept of it for a reviewer, also after its retention. No webhook is sent for it. With `Accept: application/jwt` the answer is a signed receipt.',
      params: TokenPath,
      reply: {
        200: signedOnly(ref(DeletionReceipt), 'Deleted; the receipt that was asked for.'),
        204: Type.Null({ description: 'Deleted.' }),
      },
      errors: { 404: NOT_FOUND },
    },
    async ({ caller, params, request, reply }) => {
      const { token: id } = params;
      const deletion = { owner: toOwner(caller), kind: 'age_session', id } as const;
      const receipt = await signing.deleteWithReceipt(request.headers.accept, deletion, () =>
        ageSessions.redact(caller, id),
      );
      return receipt === undefined ? reply.code(204).send(null) : sendJwt(reply, receipt);
    },
  );

  add(
    'POST /session/:token/simulate',
    {
      summary: 'Simulate the end of an age session',
      description: 'For testing an integration: the session ends as if a device had answered, including the webhook.',
      params: TokenPath,
      body: SimulateAgeSessionRequest,
      reply: { 200: ref(AgeSessionResult, 'The session has ended with this result.') },
      errors: {
        400: 'The session cannot end like this.',
        409: 'The session has already ended.',
        403: 'This key, or the one that created the session, is a live key.',
        404: NOT_FOUND,
      },
    },
    async ({ caller, body, params }) => ageSessions.simulate(caller, params.token, body),
  );
}

// Age sessions: create, read the result, redact, expire, and simulate an end.
import type { CreateAgeSessionRequest, CreatedAgeSession, SimulateAgeSessionRequest } from '@limen/contract';
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { toOwner } from '../../platform/api-keys/owner.ts';
import type { SessionId, SessionToken } from '../../platform/base/ids.ts';
import type { Creation } from '../../platform/idempotency/idempotency.ts';
import { type ReviewCases, withReview } from '../../review/cases.ts';
import type { LightChallenge } from '../device/light.ts';
import { createSessionService, type ServiceContext, type ServiceCore } from '../host/calls.ts';
import type { Session } from '../lifecycle/session.ts';
import { readContents } from './contents.ts';
import { type AgeEnding, buildAgeResult, type EndAgeSession } from './end-session.ts';
import { simulatedEnding } from './simulate.ts';

interface AgeServiceParts {
  cases: Pick<ReviewCases, 'reviewOf'>;
  endSession: EndAgeSession;
  launchUrl: (sessionId: SessionId) => URL;
  ttlMs: number;
  lightChallenge: LightChallenge;
}

export function createAgeSessions(
  context: ServiceContext,
  core: ServiceCore,
  { cases, endSession, launchUrl, ttlMs, lightChallenge }: AgeServiceParts,
) {
  const { clock } = context;
  const expired: AgeEnding = { answer: { end: 'expired' }, indicators: null, cameraSigns: [] };
  const service = createSessionService(context, core, { kind: 'age', endSession, expired });

  return {
    create(key: ApiKeyRecord, body: CreateAgeSessionRequest, creation: Creation, metadataText: string | null) {
      const contents = readContents(body, key.kind !== 'live', key.label, metadataText);
      return service.create({ key, contents, expiresAt: clock.now() + ttlMs, creation }, createdOf);
    },

    /** The token is the credential. A key that came along must be one of the owner's. */
    async readResult(token: SessionToken, key: ApiKeyRecord | null) {
      const session = await service.find({ owner: key && toOwner(key), token });
      const result = await withReview(cases, session.id, buildAgeResult(session));
      return { owner: session.owner, result };
    },

    redact: (key: ApiKeyRecord, token: SessionToken) => service.redact({ owner: toOwner(key), token }),

    simulate: (key: ApiKeyRecord, token: SessionToken, request: SimulateAgeSessionRequest) =>
      service.simulate(key, { owner: toOwner(key), token }, ({ contents }) =>
        simulatedEnding(contents, request, clock.now(), lightChallenge),
      ),

    expire: service.expire,
  };

  function createdOf({ id, token, expiresAt }: Session<'age'>): CreatedAgeSession {
    return { token, launchUrl: launchUrl(id).href, expiresAt: new Date(expiresAt).toISOString() };
  }
}

export type AgeSessions = ReturnType<typeof createAgeSessions>;

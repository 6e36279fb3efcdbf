// Age sessions: create, read the result, redact, expire, and simulate an end.

import type { CreateAgeSessionRequest, CreatedAgeSession, SimulateAgeSessionRequest } from '@limen/contract';
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { ownerOf } from '../../platform/api-keys/owner.ts';
import type { SessionId, SessionToken } from '../../platform/base/ids.ts';
import type { Creation } from '../../platform/idempotency/idempotency.ts';
import { withReview } from '../../review/cases.ts';
import type { LightChallenge } from '../device/light.ts';
import { createSessionService, type SessionServiceParts } from '../host/calls.ts';
import type { Session } from '../lifecycle/session.ts';
import { readContents } from './contents.ts';
import { type EndAgeSession, resultOf } from './end-session.ts';
import { simulatedEnding } from './simulate.ts';

interface AgeSessionsOptions extends SessionServiceParts {
  endSession: EndAgeSession;
  /** Where the person of this session starts. */
  launchUrl: (sessionId: SessionId) => URL;
  ttlMs: number;
  lightChallenge: LightChallenge;
}

export function createAgeSessions(options: AgeSessionsOptions) {
  const { sessions, cases, clock, launchUrl, ttlMs, lightChallenge } = options;
  const service = createSessionService({
    ...options,
    kind: 'age',
    namedBy: 'token',
    expired: { answer: { end: 'expired' }, indicators: null, cameraSigns: [] },
  });

  return {
    /** `metadataText` is the text that the body's `metadata` was parsed from. */
    create(key: ApiKeyRecord, body: CreateAgeSessionRequest, creation: Creation, metadataText: string | null) {
      const contents = readContents(body, key.kind !== 'live', key.label, metadataText);
      return service.create({ key, contents, expiresAt: clock.now() + ttlMs, creation }, createdOf);
    },

    /** The token is the credential; a key that came along must be one of the owner's. */
    async readResult(token: SessionToken, key: ApiKeyRecord | null) {
      const session = await service.find(byToken(key, token));
      const result = await withReview(cases, session.id, resultOf(session));
      return { owner: session.owner, result };
    },
    redact: (key: ApiKeyRecord, token: SessionToken) => service.redact(byToken(key, token), ownerOf(key), { token }),
    simulate: (key: ApiKeyRecord, token: SessionToken, request: SimulateAgeSessionRequest) =>
      service.simulate(key, byToken(key, token), ({ contents }) =>
        simulatedEnding(contents, request, clock.now(), lightChallenge),
      ),
    /** What the timer calls for a session past its time. */
    expire: service.expire,
  };

  function byToken(key: ApiKeyRecord | null, token: SessionToken) {
    return () => sessions.findByToken(key && ownerOf(key), 'age', token);
  }

  function createdOf({ id, token, expiresAt }: Session<'age'>): CreatedAgeSession {
    return { token, launchUrl: launchUrl(id).href, expiresAt: new Date(expiresAt).toISOString() };
  }
}

export type AgeSessions = ReturnType<typeof createAgeSessions>;

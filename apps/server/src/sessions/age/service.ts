// Age sessions: create, read the result, redact, expire, and simulate an end.

import type {
  AgeSessionResult,
  CreateAgeSessionRequest,
  CreatedAgeSession,
  SimulateAgeSessionRequest,
} from '@limen/contract';
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { type Owner, ownerOf } from '../../platform/api-keys/owner.ts';
import type { SessionId, SessionToken } from '../../platform/base/ids.ts';
import type { Creation } from '../../platform/idempotency/idempotency.ts';
import { withReview } from '../../review/add-to-result.ts';
import type { LightChallenge } from '../device/answer/light.ts';
import { createSessionService, type SessionServiceParts } from '../host/calls.ts';
import type { Session } from '../lifecycle/session.ts';
import { readContents } from './contents.ts';
import type { EndAgeSession } from './end-session.ts';
import { resultOf } from './result.ts';
import { simulatedEnding } from './simulate.ts';

export interface AgeSessions {
  /** `metadataText` is the text that the body's `metadata` was parsed from. */
  create(
    key: ApiKeyRecord,
    body: CreateAgeSessionRequest,
    creation: Creation,
    metadataText: string | null,
  ): Promise<CreatedAgeSession>;
  /** The token is the credential; a key that came along must be one of the owner's. */
  readResult(token: SessionToken, key: ApiKeyRecord | null): Promise<{ owner: Owner; result: AgeSessionResult }>;
  redact(key: ApiKeyRecord, token: SessionToken): Promise<void>;
  simulate(key: ApiKeyRecord, token: SessionToken, request: SimulateAgeSessionRequest): Promise<AgeSessionResult>;
  /** What the timer calls for a session past its time. */
  expire(session: Session<'age'>): Promise<void>;
}

interface AgeSessionsOptions extends SessionServiceParts {
  endSession: EndAgeSession;
  /** Where the person of this session starts. */
  launchUrl: (sessionId: SessionId) => URL;
  ttlMs: number;
  lightChallenge: LightChallenge;
}

export function createAgeSessions(options: AgeSessionsOptions): AgeSessions {
  const { sessions, cases, clock, launchUrl, ttlMs, lightChallenge } = options;
  const service = createSessionService({
    ...options,
    kind: 'age',
    namedBy: 'token',
    expired: { answer: { end: 'expired' }, indicators: null, cameraSigns: [] },
  });

  return {
    create(key, body, creation, metadataText) {
      const contents = readContents(body, key.kind !== 'live', key.label, metadataText);
      return service.create({ key, contents, expiresAt: clock.now() + ttlMs, creation }, createdOf);
    },

    async readResult(token, key) {
      const session = await service.find(byToken(key, token));
      const result = await withReview(cases, session.id, resultOf(session));
      return { owner: session.owner, result };
    },
    redact: (key, token) => service.redact(byToken(key, token), ownerOf(key), { token }),
    simulate: (key, token, request) =>
      service.simulate(key, byToken(key, token), ({ contents }) =>
        simulatedEnding(contents, request, clock.now(), lightChallenge),
      ),
    expire: service.expire,
  };

  function byToken(key: ApiKeyRecord | null, token: SessionToken) {
    return () => sessions.findByToken(key && ownerOf(key), 'age', token);
  }

  function createdOf({ id, token, expiresAt }: Session<'age'>): CreatedAgeSession {
    return { token, launchUrl: launchUrl(id).href, expiresAt: new Date(expiresAt).toISOString() };
  }
}

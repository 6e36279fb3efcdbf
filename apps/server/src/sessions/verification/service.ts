// Verification sessions: create, read the result, redact, expire, and simulate an end.

import type { CreateVerificationSessionRequest, SimulateVerificationSessionRequest } from '@limen/contract';
import type { FaceTokens } from '../../faces/tokens/open.ts';
import type { ProvenKey } from '../../platform/api-keys/client-proof.ts';
import { type Owner, ownerOf } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Creation } from '../../platform/idempotency/idempotency.ts';
import { assertPasskeyHost, type RelyingParty } from '../../platform/webauthn/relying-party.ts';
import { withReview } from '../../review/cases.ts';
import type { LightChallenge } from '../device/light.ts';
import { createSessionService, type SessionServiceParts } from '../host/calls.ts';
import { readContents, readExpiry } from './contents.ts';
import type { EndVerificationSession } from './end-session.ts';
import { resultOf } from './result.ts';
import { endingOf, puidOf } from './simulate.ts';
import type { Vouching } from './vouching.ts';

interface VerificationSessionsOptions extends SessionServiceParts {
  endSession: EndVerificationSession;
  tokens: Pick<FaceTokens, 'galleryGuid' | 'checkRoom'>;
  vouching: Pick<Vouching, 'trust'>;
  /** What passkeys are bound to. */
  relyingParty: () => RelyingParty;
  /** Where the person of this session starts. */
  launchUrl: (sessionId: SessionId) => URL;
  ttlMs: number;
  lightChallenge: LightChallenge;
}

export function createVerificationSessions(options: VerificationSessionsOptions) {
  const { database, sessions, cases, tokens, vouching, relyingParty, clock, launchUrl, ttlMs } = options;
  const service = createSessionService({
    ...options,
    kind: 'verification',
    namedBy: 'id',
    expired: { end: { end: 'expired' }, indicators: null, cameraSigns: [] },
  });

  return {
    async create(key: ProvenKey, body: CreateVerificationSessionRequest, creation: Creation) {
      const contents = readContents(body, key.kind !== 'live', key.label);
      if (contents.requirements.includes('passkey')) assertPasskeyHost(relyingParty());
      const expiresAt = readExpiry(body.sessionExpiry, clock.now(), ttlMs);
      // Asked before the transaction, and refused in it.
      const refusal = contents.type === 'ENROLL' ? await refusalOfNew(ownerOf(key)) : undefined;
      const wanted = { key, contents, expiresAt, creation, refusal };
      return service.create(wanted, ({ id }) => ({ launchUrl: launchUrl(id).href, sessionId: id }));
    },

    async getResult(key: ProvenKey, sessionId: SessionId) {
      const session = await service.find(byId(key, sessionId));
      return withReview(cases, session.id, resultOf(session));
    },
    redact: (key: ProvenKey, id: SessionId) => service.redact(byId(key, id), ownerOf(key), { id }),

    simulate: (key: ProvenKey, sessionId: SessionId, request: SimulateVerificationSessionRequest) =>
      service.simulate(key, byId(key, sessionId), async ({ contents, owner }) => {
        const puid = puidOf(contents, request);
        const guid = await tokens.galleryGuid(owner);
        return endingOf(contents, request, { puid, guid, now: clock.now(), challenge: options.lightChallenge });
      }),

    /** The host has looked: device and passkey of this session speak for its person from now on. */
    async trustDevice(key: ProvenKey, sessionId: SessionId) {
      const { outcome } = await service.find(byId(key, sessionId));
      const trustable = outcome?.trustable;
      await database.transact(async (trx) => {
        // Undoes what it has done when there is nothing left of them.
        if (!trustable || !(await vouching.trust(trx, trustable))) throw nothingToTrust();
      });
    },

    /** What the timer calls for a session past its time. */
    expire: service.expire,
  };

  function byId(key: ProvenKey, sessionId: SessionId) {
    return () => sessions.findOwn(ownerOf(key), 'verification', sessionId);
  }

  /** Why nobody new can be enrolled; anything but that is a failure of its own. */
  async function refusalOfNew(owner: Owner): Promise<AppError | undefined> {
    try {
      await tokens.checkRoom(owner);
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}

export type VerificationSessions = ReturnType<typeof createVerificationSessions>;

function nothingToTrust(): AppError {
  return new AppError(
    'nothing_to_trust',
    'The session did not end well, or no device or passkey of the person is left from it. A simulated session binds none.',
  );
}

// Verification sessions: create, read the result, redact, expire, and simulate an end.
import type { CreateVerificationSessionRequest, SimulateVerificationSessionRequest } from '@limen/contract';
import type { FaceTokens } from '../../faces/tokens/open.ts';
import type { ProvenKey } from '../../platform/api-keys/client-proof.ts';
import { type Owner, toOwner } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Creation } from '../../platform/idempotency/idempotency.ts';
import { assertPasskeyHost, type RelyingParty } from '../../platform/webauthn/relying-party.ts';
import { type ReviewCases, withReview } from '../../review/cases.ts';
import type { LightChallenge } from '../device/light.ts';
import { createSessionService, type ServiceContext, type ServiceCore } from '../host/calls.ts';
import { readContents, readExpiry } from './contents.ts';
import type { EndVerificationSession, VerificationEnding } from './end-session.ts';
import { buildVerificationResult } from './result.ts';
import { simulateEnding, simulatePuid } from './simulate.ts';
import type { Vouching } from './vouching.ts';

interface VerificationServiceParts {
  cases: Pick<ReviewCases, 'reviewOf'>;
  endSession: EndVerificationSession;
  tokens: Pick<FaceTokens, 'galleryGuid' | 'checkRoom'>;
  vouching: Pick<Vouching, 'trust'>;
  relyingParty: () => RelyingParty;
  launchUrl: (sessionId: SessionId) => URL;
  ttlMs: number;
  lightChallenge: LightChallenge;
}

export function createVerificationSessions(
  context: ServiceContext,
  core: ServiceCore,
  { cases, endSession, tokens, vouching, relyingParty, launchUrl, ttlMs, lightChallenge }: VerificationServiceParts,
) {
  const { database, clock } = context;
  const expired: VerificationEnding = { end: { end: 'expired' }, indicators: null, cameraSigns: [] };
  const service = createSessionService(context, core, { kind: 'verification', endSession, expired });

  return {
    async create(key: ProvenKey, body: CreateVerificationSessionRequest, creation: Creation) {
      const contents = readContents(body, key.kind !== 'live', key.label);
      if (contents.requirements.includes('passkey')) assertPasskeyHost(relyingParty());
      const expiresAt = readExpiry(body.sessionExpiry, clock.now(), ttlMs);
      // The capacity is checked before the transaction, but a repeated request still gets its first reply.
      const refusal = contents.type === 'ENROLL' ? await refusalOfNew(toOwner(key)) : undefined;
      const wanted = { key, contents, expiresAt, creation, refusal };
      return service.create(wanted, ({ id }) => ({ launchUrl: launchUrl(id).href, sessionId: id }));
    },

    async getResult(key: ProvenKey, id: SessionId) {
      const session = await service.find({ owner: toOwner(key), id });
      return withReview(cases, session.id, buildVerificationResult(session));
    },

    redact: (key: ProvenKey, id: SessionId) => service.redact({ owner: toOwner(key), id }),

    simulate: (key: ProvenKey, id: SessionId, request: SimulateVerificationSessionRequest) =>
      service.simulate(key, { owner: toOwner(key), id }, async ({ contents, owner }) => {
        const puid = simulatePuid(contents, request);
        const guid = await tokens.galleryGuid(owner);
        return simulateEnding(contents, request, { puid, guid, now: clock.now(), challenge: lightChallenge });
      }),

    /** Lets this session's device and passkey vouch for its person, after a check by the host. */
    async trustDevice(key: ProvenKey, id: SessionId) {
      const { outcome } = await service.find({ owner: toOwner(key), id });
      const trustable = outcome?.trustable;
      await database.transact(async (trx) => {
        if (trustable && (await vouching.trust(trx, trustable))) return;
        throw new AppError(
          'nothing_to_trust',
          'The session did not end well, or no device or passkey of the person is left from it. A simulated session binds none.',
        );
      });
    },

    expire: service.expire,
  };

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

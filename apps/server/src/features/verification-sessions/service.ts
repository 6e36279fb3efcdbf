// Verification sessions: create, read the result, redact, expire, and simulate an end.
import type {
  CreatedVerificationSession,
  CreateVerificationSessionRequest,
  SimulateVerificationSessionRequest,
  VerificationSessionResult,
} from '@limen/contract';
import type { ChannelClosing } from '../../core/device-channel/close-channel.ts';
import { type EndCourse, endWithoutDevice } from '../../core/device-channel/end-without-device.ts';
import { assertPasskeyHost, type RelyingParty } from '../../core/passkeys/relying-party.ts';
import { isOpen } from '../../core/sessions/rules.ts';
import { resourceOf, type Session, type Sessions } from '../../core/sessions/sessions.ts';
import type { FaceTokens } from '../../core/tokens/face-tokens.ts';
import type { ProvenKey } from '../../platform/api-keys/client-proof.ts';
import { nameOf, type Owner, ownerOf } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import { contentsOf, readContents, readExpiry } from './contents.ts';
import type { EndVerificationSession, VerificationEnding } from './end-session.ts';
import { outcomeOf, resultOf } from './result.ts';
import { endingOf, puidOf } from './simulate.ts';
import type { Vouching } from './vouching.ts';

export interface VerificationSessions {
  create(
    key: ProvenKey,
    body: CreateVerificationSessionRequest,
    idempotencyKey?: string,
  ): Promise<CreatedVerificationSession>;
  getResult(key: ProvenKey, sessionId: string): Promise<VerificationSessionResult>;
  redact(key: ProvenKey, sessionId: string): Promise<void>;
  simulate(
    key: ProvenKey,
    sessionId: string,
    request: SimulateVerificationSessionRequest,
  ): Promise<VerificationSessionResult>;
  /** The host has looked: device and passkey of this session speak for its person from now on. */
  trustDevice(key: ProvenKey, sessionId: string): Promise<void>;
  /** What the timer calls for a session past its time. */
  expire(session: Session): Promise<void>;
}

interface VerificationSessionsOptions {
  database: Database;
  sessions: Sessions;
  endSession: EndVerificationSession;
  /** What the device channel counted, and how it is closed with the end; null when there is none. */
  closeChannel: (sessionId: string) => Promise<ChannelClosing | null>;
  tokens: Pick<FaceTokens, 'galleryGuid' | 'checkRoom'>;
  vouching: Pick<Vouching, 'trust'>;
  /** What passkeys are bound to. */
  relyingParty: () => RelyingParty;
  idempotency: Idempotency;
  clock: Clock;
  /** Where the person of this session starts. */
  launchUrl: (sessionId: string) => URL;
  ttlMs: number;
}

export function createVerificationSessions(options: VerificationSessionsOptions): VerificationSessions {
  const { database, sessions, endSession, closeChannel, tokens, vouching, relyingParty } = options;
  const { idempotency, clock, launchUrl, ttlMs } = options;

  const service: VerificationSessions = {
    async create(key, body, idempotencyKey) {
      const contents = readContents(body, key.kind !== 'live', key.label);
      if (contents.requirements.includes('passkey')) assertPasskeyHost(relyingParty());
      const expiresAt = readExpiry(body.sessionExpiry, clock.now(), ttlMs);
      const wanted = {
        kind: 'verification',
        owner: ownerOf(key),
        apiKeyId: key.id,
        expiresAt,
        contents,
      } as const;
      // Asked before the transaction, and refused in it: the same request again gets its first reply, also when it is full now.
      const refusal = contents.type === 'ENROLL' ? await refusalOfNew(wanted.owner) : undefined;
      const insert = async (trx: Transaction) => {
        if (refusal) throw refusal;
        return sessions.create(trx, wanted);
      };
      if (idempotencyKey === undefined) return database.transact(async (trx) => createdOf(await insert(trx)));
      const request = {
        operation: 'verification-sessions.create',
        owner: nameOf(wanted.owner),
        key: idempotencyKey,
        content: body,
      };
      return idempotency.once(request, async (trx) => {
        const session = await insert(trx);
        return { reply: createdOf(session), resource: resourceOf(session.id) };
      });
    },

    async getResult(key, sessionId) {
      return resultOf(await find(sessionId, key));
    },

    async redact(key, sessionId) {
      const { id } = await find(sessionId, key);
      if (!(await sessions.redact(id))) throw notFound();
    },

    async simulate(key, sessionId, request) {
      const session = await find(sessionId, key);
      const contents = contentsOf(session);
      if (key.kind === 'live' || !contents.simulable) {
        throw new AppError(
          'forbidden',
          'Only test and development keys can simulate, and only sessions that such a key created.',
        );
      }
      const puid = puidOf(contents, request);
      const guid = await tokens.galleryGuid(session.owner);
      const madeUp = { puid, guid, now: clock.now() };
      const result = await endBy(session, endingOf(contents, request, madeUp), true);
      if (result) return result;
      await find(sessionId, key); // a session that was deleted meanwhile is not found
      throw new AppError('session_ended', 'The session has ended; create a new one to simulate another outcome.');
    },

    async trustDevice(key, sessionId) {
      const trustable = outcomeOf(await find(sessionId, key))?.trustable;
      await database.transact(async (trx) => {
        // Undoes what it has done when there is nothing left of them.
        if (!trustable || !(await vouching.trust(trx, trustable))) throw nothingToTrust();
      });
    },

    async expire(session) {
      await endBy(session, { end: { end: 'expired' }, indicators: null }, false);
    },
  };
  return service;

  function endBy(session: Session, ending: Omit<VerificationEnding, keyof EndCourse>, asDevice: boolean) {
    const parts = { kind: 'verification', database, sessions, clock, closeChannel } as const;
    return endWithoutDevice(parts, session, asDevice, (current, course, keep) =>
      endSession(current, { ...ending, ...course }, keep),
    );
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

  function createdOf({ id }: Session): CreatedVerificationSession {
    return { launchUrl: launchUrl(id).href, sessionId: id };
  }

  async function find(sessionId: string, key: ProvenKey): Promise<Session> {
    const session = await findOwn(sessionId, key);
    if (!isOpen(session.state) || session.expiresAt > clock.now()) return session;
    // The timer is a little late by nature; a reader does not see that.
    await service.expire(session);
    return findOwn(sessionId, key);
  }

  async function findOwn(sessionId: string, key: ProvenKey): Promise<Session> {
    const session = await sessions.findOwn(ownerOf(key), 'verification', sessionId);
    if (!session) throw notFound();
    return session;
  }
}

function nothingToTrust(): AppError {
  return new AppError(
    'nothing_to_trust',
    'The session did not end well, or no device or passkey of the person is left from it. A simulated session binds none.',
  );
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no session with this id.');
}

// Age sessions: create, read the result, redact, expire, and simulate an end.
import type {
  AgeSessionResult,
  CreateAgeSessionRequest,
  CreatedAgeSession,
  SimulateAgeSessionRequest,
} from '@limen/contract';
import type { ChannelClosing } from '../../core/device-channel/close-channel.ts';
import { type EndCourse, endWithoutDevice } from '../../core/device-channel/end-without-device.ts';
import { isOpen } from '../../core/sessions/rules.ts';
import { resourceOf, type Session, type Sessions } from '../../core/sessions/sessions.ts';
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { nameOf, ownerOf } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import { type AgeSessionContents, readContents } from './contents.ts';
import type { AgeEnding, EndAgeSession } from './end-session.ts';
import { contentsOf, resultOf } from './result.ts';
import { simulatedEnding } from './simulate.ts';

export interface AgeSessions {
  create(key: ApiKeyRecord, body: CreateAgeSessionRequest, more?: CreationExtras): Promise<CreatedAgeSession>;
  /** The token is the credential; a key that came along must be one of the owner's. */
  getResult(token: string, key: ApiKeyRecord | null): Promise<AgeSessionResult>;
  redact(key: ApiKeyRecord, token: string): Promise<void>;
  simulate(key: ApiKeyRecord, token: string, request: SimulateAgeSessionRequest): Promise<AgeSessionResult>;
  /** What the timer calls for a session past its time. */
  expire(session: Session): Promise<void>;
}

interface CreationExtras {
  idempotencyKey?: string | undefined;
  /** The text that the body's `metadata` was parsed from. */
  metadataText?: string | null;
}

interface AgeSessionsOptions {
  database: Database;
  sessions: Sessions;
  endSession: EndAgeSession;
  /** What the device channel counted, and how it is closed with the end; null when there is none. */
  closeChannel: (sessionId: string) => Promise<ChannelClosing | null>;
  idempotency: Idempotency;
  clock: Clock;
  /** Where the person of this session starts. */
  launchUrl: (sessionId: string) => URL;
  ttlMs: number;
}

export function createAgeSessions(options: AgeSessionsOptions): AgeSessions {
  const { database, sessions, endSession, closeChannel, idempotency, clock, launchUrl, ttlMs } = options;

  const ageSessions: AgeSessions = {
    async create(key, body, { idempotencyKey, metadataText = null } = {}) {
      const contents = readContents(body, key.kind !== 'live', key.label, metadataText);
      if (idempotencyKey === undefined) {
        return database.transact(async (trx) => createdOf(await insert(trx, key, contents)));
      }
      const owner = nameOf(ownerOf(key));
      // Two texts are two requests, though they may be parsed to the same.
      const content = body.metadata === undefined ? body : { ...body, metadata: contents.metadata };
      const request = { operation: 'age-sessions.create', owner, key: idempotencyKey, content };
      return idempotency.once(request, async (trx) => {
        const session = await insert(trx, key, contents);
        return { reply: createdOf(session), resource: resourceOf(session.id) };
      });
    },

    async getResult(token, key) {
      return resultOf(await find(token, key));
    },

    async redact(key, token) {
      const { id } = await find(token, key);
      if (!(await sessions.redact(id))) throw notFound();
    },

    async simulate(key, token, request) {
      const session = await find(token, key);
      const contents = contentsOf(session);
      if (key.kind === 'live' || !contents.simulable) {
        throw new AppError(
          'forbidden',
          'Only test and development keys can simulate, and only sessions that such a key created.',
        );
      }
      const result = await endBy(session, simulatedEnding(contents, request, clock.now()), true);
      if (result) return result;
      await find(token, key); // a session that was deleted meanwhile is not found
      throw new AppError('session_ended', 'The session has ended; create a new one to simulate another outcome.');
    },

    async expire(session) {
      await endBy(session, { answer: { end: 'expired' }, indicators: null }, false);
    },
  };
  return ageSessions;

  function insert(trx: Transaction, key: ApiKeyRecord, contents: AgeSessionContents): Promise<Session> {
    const expiresAt = clock.now() + ttlMs;
    return sessions.create(trx, { kind: 'age', owner: ownerOf(key), apiKeyId: key.id, expiresAt, contents });
  }

  function endBy(session: Session, ending: Omit<AgeEnding, keyof EndCourse>, asDevice: boolean) {
    const parts = { kind: 'age', database, sessions, clock, closeChannel } as const;
    return endWithoutDevice(parts, session, asDevice, (current, course, keep) =>
      endSession(current, { ...ending, ...course }, keep),
    );
  }

  function createdOf({ id, token, expiresAt }: Session): CreatedAgeSession {
    return { token, launchUrl: launchUrl(id).href, expiresAt: new Date(expiresAt).toISOString() };
  }

  async function find(token: string, key: ApiKeyRecord | null): Promise<Session> {
    const session = await findOwn(token, key);
    if (!isOpen(session.state) || session.expiresAt > clock.now()) return session;
    // The timer is a little late by nature; a reader does not see that.
    await ageSessions.expire(session);
    return findOwn(token, key);
  }

  async function findOwn(token: string, key: ApiKeyRecord | null): Promise<Session> {
    const session = await sessions.findByToken(key && ownerOf(key), 'age', token);
    if (!session) throw notFound();
    return session;
  }
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no session with this token.');
}

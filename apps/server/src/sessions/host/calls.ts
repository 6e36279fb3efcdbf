// What a host does with a session of any kind: creates it once, finds it, ends it in test mode, deletes it. A kind of session
// brings what it was asked for, how it ends, and what the host is told.
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { nameOf, type Owner, ownerOf } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import type { Ids, SessionId, SessionToken } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Creation, Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { Keep } from '../device/flow.ts';
import { type ChannelClosing, untilNotOvertaken } from '../device/turns.ts';
import { resourceOf } from '../lifecycle/forget.ts';
import type { SessionKind, SessionKinds } from '../lifecycle/kinds.ts';
import { isOpen } from '../lifecycle/rules.ts';
import type { Session } from '../lifecycle/session.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';

/** How the caller names a session, and whose it may be. */
type LookUp<Kind extends SessionKind> = () => Promise<Session<Kind> | undefined>;

interface SessionCreation<Kind extends SessionKind> {
  key: ApiKeyRecord;
  contents: SessionKinds[Kind]['contents'];
  expiresAt: number;
  creation: Creation;
  /** Why none can be made now; the same request again still gets its first reply. */
  refusal?: AppError | undefined;
}

export interface SessionServiceParts {
  database: Database;
  sessions: Sessions;
  /** Returns the device channel's counts and closing write; null if there is no channel. */
  closeChannel: (sessionId: SessionId) => Promise<ChannelClosing | null>;
  idempotency: Idempotency;
  /** What reviewers decided. */
  cases: Pick<ReviewCases, 'reviewOf'>;
  clock: Clock;
  ids: Pick<Ids, 'random'>;
}

interface SessionServiceOptions<Kind extends SessionKind, Ending, Result> extends SessionServiceParts {
  kind: Kind;
  /** What a host names a session by. */
  namedBy: 'token' | 'id';
  endSession: EndSession<Kind, Ending, Result>;
  /** The end of a session past its time. */
  expired: Ending;
}

export function createSessionService<Kind extends SessionKind, Ending, Result>(
  options: SessionServiceOptions<Kind, Ending, Result>,
) {
  const { database, sessions, closeChannel, idempotency, clock, ids, kind, namedBy, endSession, expired } = options;

  return {
    create<Reply extends object>(
      { key, contents, expiresAt, creation: { repeatable, warned }, refusal }: SessionCreation<Kind>,
      replyTo: (session: Session<Kind>) => Reply,
    ): Promise<Reply & Creation['warned']> {
      const owner = ownerOf(key);
      const id = ids.random<SessionId>();
      const insert = async (trx: Transaction) => {
        if (refusal) throw refusal;
        const session = await sessions.create(trx, { id, kind, owner, apiKeyId: key.id, expiresAt, contents });
        return { ...replyTo(session), ...warned };
      };
      if (!repeatable) return database.transact(insert);
      const resource = resourceOf(id);
      const request = { operation: `${kind}-sessions.create`, owner: nameOf(owner), ...repeatable, resource };
      return idempotency.once(request, async (trx) => ({ reply: await insert(trx), resource }));
    },

    find,

    /** Also deletes what is kept for a reviewer of a session that is gone: `by` names it. */
    async redact(look: LookUp<Kind>, owner: Owner, by: { token: SessionToken } | { id: SessionId }): Promise<void> {
      // A session that is past its time ends first, as for any reader.
      const isGone = (await look())
        ? await sessions.redact((await find(look)).id)
        : await sessions.redactKept(owner, by);
      if (!isGone) throw notFound();
    },

    /** Ends it as if a device had brought the ending about. */
    async simulate(
      key: ApiKeyRecord,
      look: LookUp<Kind>,
      endingOf: (session: Session<Kind>) => Ending | Promise<Ending>,
    ): Promise<Result> {
      const session = await find(look);
      if (key.kind === 'live' || !session.contents.simulable) {
        throw new AppError(
          'forbidden',
          'Only test and development keys can simulate, and only sessions that such a key created.',
        );
      }
      const ended = await end(session, await endingOf(session), true);
      if (ended) return ended.result;
      await find(look); // a session that was deleted meanwhile is not found
      throw new AppError('session_ended', 'The session has ended; create a new one to simulate another outcome.');
    },

    expire,
  };

  /** Throws when there is none. A session that is past its time has ended by then. */
  async function find(look: LookUp<Kind>): Promise<Session<Kind>> {
    const session = await require(look);
    if (!isOpen(session.state) || session.expiresAt > clock.now()) return session;
    // The timer is a little late by nature; a reader does not see that.
    await expire(session);
    return require(look);
  }

  /** Ends a session past its time, for the timer too. */
  async function expire(session: Session<Kind>): Promise<void> {
    if (!clock.isWrong?.()) await end(session, expired, false);
  }

  /**
   * Ends a session. Re-reads it and decides again if a device changed it before the write. Returns
   * undefined if the session had already ended.
   */
  function end(session: Session<Kind>, ending: Ending, asDevice: boolean): Promise<Ended<Kind, Result> | undefined> {
    let given: Session<Kind> | undefined = session;
    return untilNotOvertaken(database, async () => {
      const current = given ?? (await sessions.findOwn(session.owner, session.kind, session.id));
      given = undefined;
      if (!current || !isOpen(current.state) || (asDevice && current.expiresAt <= clock.now())) return undefined;
      // No device has opened a session in state `created`, so there is no channel to close.
      const unopened = current.state === 'created';
      const closing = unopened ? null : await closeChannel(current.id);
      const course = { behavior: closing?.behavior ?? null, unopened, asDevice };
      const ended = await endSession(current, { ...ending, ...course }, closing?.keep);
      if (!ended && unopened) throw new ConflictError();
      return ended;
    });
  }

  async function require(look: LookUp<Kind>): Promise<Session<Kind>> {
    const session = await look();
    if (!session) throw notFound();
    return session;
  }

  function notFound(): AppError {
    return new AppError('not_found', `There is no session with this ${namedBy}.`);
  }
}

/** How an end without a device stands to what devices did before. */
export interface EndCourse {
  /** Behavior of the session's devices; null if no device opened the session. */
  behavior: BehaviorFacts | null;
  /** Ends the session only if it is unopened. The caller has no behavior of its devices. */
  unopened?: boolean;
  /** Moves through the states that a device would have brought about first, in the same transaction. */
  asDevice?: boolean;
}

/** A session that has just ended. */
interface Ended<Kind extends SessionKind, Result> {
  /** Session after its end, without a second read. */
  session: Session<Kind>;
  /** Result that the host receives. */
  result: Result;
}

/**
 * The one way in which a kind of session ends. Undefined when it had ended already, was deleted or is not `unopened`: then
 * nothing was written and nothing is sent. `keep` writes what belongs to the end in the same transaction; when it throws, the
 * session has not ended.
 */
export type EndSession<Kind extends SessionKind, Ending, Result> = (
  session: Session<Kind>,
  ending: Ending & EndCourse,
  keep?: Keep,
) => Promise<Ended<Kind, Result> | undefined>;

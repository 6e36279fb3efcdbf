// Calls of hosts on sessions of either kind: create once, find, end in test mode, delete.
import type { ApiKeyRecord } from '../../platform/api-keys/api-keys.ts';
import { formatOwner, type Owner, toOwner } from '../../platform/api-keys/owner.ts';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import type { SessionId, SessionToken } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Creation } from '../../platform/idempotency/idempotency.ts';
import type { ChannelWrite } from '../device/flow.ts';
import { type ChannelClosing, retryOnConflict } from '../device/turns.ts';
import { sessionResource } from '../lifecycle/forget.ts';
import type { SessionKind, SessionKinds } from '../lifecycle/kinds.ts';
import { isOpen } from '../lifecycle/rules.ts';
import type { Session } from '../lifecycle/session.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';

/** Name of a session in a call. A token is a credential, so it needs no owner. */
type SessionName = { owner: Owner | null; token: SessionToken } | { owner: Owner; id: SessionId };

interface SessionCreation<Kind extends SessionKind> {
  key: ApiKeyRecord;
  contents: SessionKinds[Kind]['contents'];
  expiresAt: number;
  creation: Creation;
  /** Refuses a new session. A repeated request still gets its first reply. */
  refusal?: AppError | undefined;
}

export type ServiceContext = Pick<Context, 'database' | 'idempotency' | 'clock' | 'ids'>;

export interface ServiceCore {
  sessions: Sessions;
  closeChannel: (sessionId: SessionId) => Promise<ChannelClosing | null>;
}

export function createSessionService<Kind extends SessionKind, Ending, Result>(
  { database, idempotency, clock, ids }: ServiceContext,
  { sessions, closeChannel }: ServiceCore,
  /** `expired` is the ending of a session past its time. */
  { kind, endSession, expired }: { kind: Kind; endSession: EndSession<Kind, Ending, Result>; expired: Ending },
) {
  return {
    create<Reply extends object>(
      { key, contents, expiresAt, creation: { repeatable, warned }, refusal }: SessionCreation<Kind>,
      replyTo: (session: Session<Kind>) => Reply,
    ): Promise<Reply & Creation['warned']> {
      const owner = toOwner(key);
      const id = ids.random<SessionId>();
      const insert = async (trx: Transaction) => {
        if (refusal) throw refusal;
        const session = await sessions.create(trx, { id, kind, owner, apiKeyId: key.id, expiresAt, contents });
        return { ...replyTo(session), ...warned };
      };
      if (!repeatable) return database.transact(insert);
      const resource = sessionResource(id);
      const request = { operation: `${kind}-sessions.create`, owner: formatOwner(owner), ...repeatable, resource };
      return idempotency.once(request, async (trx) => ({ reply: await insert(trx), resource }));
    },

    find,

    /** Also deletes the case that a reviewer keeps of a deleted session. */
    async redact(name: SessionName & { owner: Owner }): Promise<void> {
      // A session that is past its time ends first, as for any reader.
      const isGone = (await look(name))
        ? await sessions.redact((await find(name)).id)
        : await sessions.redactKept(name.owner, name);
      if (!isGone) throw notFound(name);
    },

    async simulate(
      key: ApiKeyRecord,
      name: SessionName,
      endingOf: (session: Session<Kind>) => Ending | Promise<Ending>,
    ): Promise<Result> {
      const session = await find(name);
      if (key.kind === 'live' || !session.contents.simulable) {
        throw new AppError(
          'forbidden',
          'Only test and development keys can simulate, and only sessions that such a key created.',
        );
      }
      const ended = await end(session, await endingOf(session), true);
      if (ended) return ended.result;
      await find(name); // throws if the session was deleted during the call
      throw new AppError('session_ended', 'The session has ended; create a new one to simulate another outcome.');
    },

    expire,
  };

  function look(name: SessionName): Promise<Session<Kind> | undefined> {
    return 'token' in name
      ? sessions.findByToken(name.owner, kind, name.token)
      : sessions.findOwn(name.owner, kind, name.id);
  }

  /** Throws if there is no such session. Ends a session that is past its time, because the timer may be late. */
  async function find(name: SessionName): Promise<Session<Kind>> {
    let session = await look(name);
    if (session && isOpen(session.state) && session.expiresAt <= clock.now()) {
      await expire(session);
      session = await look(name);
    }
    if (!session) throw notFound(name);
    return session;
  }

  async function expire(session: Session<Kind>): Promise<void> {
    if (!clock.isWrong?.()) await end(session, expired, false);
  }

  /** Ends a session, or returns undefined if it had ended. Re-reads it if a device changed it before the write. */
  function end(session: Session<Kind>, ending: Ending, asDevice: boolean) {
    let known: Session<Kind> | undefined = session;
    return retryOnConflict(database, async () => {
      const current = known ?? (await sessions.findOwn(session.owner, session.kind, session.id));
      known = undefined;
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
}

function notFound(name: SessionName): AppError {
  return new AppError('not_found', `There is no session with this ${'token' in name ? 'token' : 'id'}.`);
}

export interface EndDetails {
  /** Behavior of the session's devices; null if no device opened the session. */
  behavior: BehaviorFacts | null;
  /** Ends the session only if it is unopened. The caller has no behavior of its devices. */
  unopened?: boolean;
  /** Passes through the states that a device would have brought about first, in the same transaction. */
  asDevice?: boolean;
}

/**
 * Ends a session and returns it with the host's result, or returns undefined if it had ended, was deleted or is not `unopened`.
 * `keep` writes in the same transaction.
 */
export type EndSession<Kind extends SessionKind, Ending, Result> = (
  session: Session<Kind>,
  ending: Ending & EndDetails,
  keep?: ChannelWrite,
) => Promise<{ session: Session<Kind>; result: Result } | undefined>;

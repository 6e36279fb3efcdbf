// Sessions of any kind: made, found by token, moved on, ended once, deleted with all that hangs on them.
import { columnsOf, isSameOwner, type Owner, ownerFrom } from '../../platform/api-keys/owner.ts';
import { shareRuns } from '../../platform/async/share-runs.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { type Ids, isUuid, type PersonId, type SessionId, type SessionToken } from '../../platform/base/ids.ts';
import type { Database, InTransaction, Transaction } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { Evidence } from '../../review/case.ts';
import type { KeptSession, ReviewCases } from '../../review/cases.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import { tables } from '../tables.ts';
import { createForgetPurged, createForgetRedacted } from './forget.ts';
import type { SessionKind, SessionKinds } from './kinds.ts';
import { createMarkDigest, type Mark, marksOfContents, marksOfOutcome } from './marks.ts';
import { factsOf } from './review-facts.ts';
import { END_STATES, type EndState, OPEN_STATES, type OpenState } from './rules.ts';
import { type AnySession, isOfKind, type Session } from './session.ts';
import type { ExpiredSession, SessionFilter, SessionRow, SessionStore } from './store.ts';

export { resourceOf } from './forget.ts';

/** What is sealed in the row: the token, and what the kind of session keeps for itself. */
interface SealedContents {
  token: SessionToken;
  contents: AnySession['contents'];
}

type NewSession<Kind extends SessionKind> = Pick<
  Session<Kind>,
  'kind' | 'owner' | 'apiKeyId' | 'expiresAt' | 'contents'
> & {
  /** Drawn by the caller, if something else is written under it. */
  id?: SessionId;
};

interface SessionEnd<Kind extends SessionKind> {
  state: EndState;
  outcome: SessionKinds[Kind]['outcome'];
  /** The states that it may be in; those that may come before unless given. */
  from?: readonly OpenState[] | undefined;
  /**
   * Whom it was about: deleted with them. The caller holds that person in the same transaction (`FaceTokens.hold` or
   * `confirm`).
   */
  personId?: PersonId | undefined;
}

/** What an operator looks for. */
interface SessionQuery extends Omit<SessionFilter, 'marks'> {
  marks: readonly Mark[];
}

/** What a list shows is in the row; what is sealed in it is opened one by one, so that one unreadable row spoils no list. */
export type BrowsedSession = Pick<
  SessionRow,
  'id' | 'kind' | 'customer' | 'world' | 'api_key_id' | 'state' | 'created_at' | 'expires_at' | 'ended_at' | 'purge_at'
> & { open(): AnySession };

/** A row that a timer found; opened one by one, so that one unreadable row keeps no other waiting. */
export interface OverdueSession extends ExpiredSession {
  kind: SessionKind;
  open(): AnySession;
}

type Bound = Pick<SessionRow, 'id' | 'kind' | 'customer' | 'world' | 'api_key_id' | 'created_at' | 'expires_at'>;

interface SessionsOptions {
  database: Database;
  store: SessionStore;
  sealer: Sealer;
  idempotency: Idempotency;
  webhooks: Pick<Webhooks, 'forgetSessions' | 'deleteSession'>;
  deviceChannels: { forget(trx: Transaction, ...sessionIds: SessionId[]): Promise<void> };
  cases: Pick<ReviewCases, 'openForSession' | 'sessionsWithCase' | 'keepEvidence' | 'findKept' | 'deleteOf'>;
  readEvidence(sessionId: SessionId, trx: Transaction): Promise<Evidence>;
  /** Parts of the transaction that deletes a session: what it had begun for a person, and what they lock before. */
  unfinished: readonly {
    lockFor?(trx: Transaction, sessionId: SessionId): Promise<void>;
    discard(trx: Transaction, ...sessionIds: SessionId[]): Promise<void>;
  }[];
  clock: Clock;
  ids: Ids;
  retentionMs: number;
}

export function createSessions(options: SessionsOptions) {
  const { database, store, sealer, cases, unfinished, clock, ids, retentionMs } = options;
  const forgetRedacted = createForgetRedacted(options);
  const forgetPurged = createForgetPurged(options);
  const eraseFreed = shareRuns(() => database.checkpoint());
  const lookupOf = createTokenLookup(sealer);
  const digestOfMark = createMarkDigest(sealer);

  const sessions = {
    async create<Kind extends SessionKind>(
      trx: Transaction,
      { id = ids.random<SessionId>(), kind, owner, apiKeyId, expiresAt, contents }: NewSession<Kind>,
    ): Promise<Session<Kind>> {
      const token = ids.random<SessionToken>();
      const sealed: SealedContents = { token, contents };
      const times = { created_at: clock.now(), expires_at: expiresAt };
      const bound: Bound = { id, kind, ...columnsOf(owner), api_key_id: apiKeyId, ...times };
      await store.insert(trx, {
        ...bound,
        token_lookup: lookupOf(token),
        state: 'created',
        ended_at: null,
        purge_at: null,
        sealed: sealer.sealJson(sealed, tables.sessions.places.sealed(bound)),
        outcome: null,
        person_id: null,
        end_state: null,
      });
      await store.mark(trx, bound, digest(marksOfContents(contents)));
      const createdAt = bound.created_at;
      return { id, kind, token, owner, apiKeyId, state: 'created', createdAt, expiresAt, contents, outcome: undefined };
    },

    /**
     * Returns a session for its host, never another owner's. Returns undefined after its retention
     * period, even if the row still exists. Callers with a token but no API key pass null as
     * the owner.
     */
    async findByToken<Kind extends SessionKind>(owner: Owner | null, kind: Kind, token: SessionToken) {
      const session = isUuid(token) ? visibleOf(kind, await store.findByLookup(lookupOf(token)), token) : undefined;
      return session && (owner === null || isSameOwner(owner, session.owner)) ? session : undefined;
    },

    async findOwn<Kind extends SessionKind>(owner: Owner, kind: Kind, id: SessionId) {
      const session = isUuid(id) ? visibleOf(kind, await store.find(id)) : undefined;
      return session && isSameOwner(owner, session.owner) ? session : undefined;
    },

    /**
     * Returns a session for a device, which knows the session's link but no owner. All further
     * lookups use `session.owner`.
     */
    async find(id: SessionId) {
      return isUuid(id) ? visible(await store.find(id)) : undefined;
    },

    /** An operator's look, whosever they are; newest first. */
    async browse({ marks, ...wanted }: SessionQuery) {
      const rows = await store.list({ ...wanted, marks: digest(marks) }, clock.now());
      return rows.map(browsed);
    },

    async look(id: SessionId) {
      const row = isUuid(id) ? await store.find(id) : undefined;
      return row && isKept(row) ? browsed(row) : undefined;
    },

    /** False when the session is past its time or not in a state that `to` may follow. */
    move(id: SessionId, to: OpenState, trx?: Transaction) {
      const moveIn = (its: Transaction) => store.move(its, id, to, clock.now());
      return trx ? moveIn(trx) : database.transact(moveIn);
    },

    /**
     * Ends a session with its sealed outcome; undefined when another was first or it is in none of the states `from`, if some
     * are given; else when the row will be deleted.
     */
    async end<Kind extends SessionKind>(
      trx: Transaction,
      session: Session<Kind>,
      { state, outcome, from, personId }: SessionEnd<Kind>,
    ) {
      const { id, createdAt } = session;
      const endedAt = clock.now();
      const purgeAt = endedAt + retentionMs;
      const place = tables.sessions.places.outcome({
        id,
        state,
        ended_at: endedAt,
        purge_at: purgeAt,
        person_id: personId ?? null,
      });
      const sealed = sealer.sealJson(outcome, place);
      const end = { id, state, from, endedAt, purgeAt, outcome: sealed, personId: personId ?? null };
      if (!(await store.end(trx, end))) return undefined;
      await store.mark(trx, { id, created_at: createdAt }, digest(marksOfOutcome(outcome)));
      await openCase(trx, session as AnySession, { state, outcome, personId, endedAt });
      return { purgeAt };
    },

    /** Deletes a session, what its devices left, its webhooks and its stored replies; false when it is gone already. */
    async redact(id: SessionId, noted?: InTransaction) {
      const isGone = await remove(id, store.delete, noted);
      // What was deleted is overwritten in the file, but the log before it still has it. Gone it is either way.
      if (isGone) await eraseFreed().catch(() => {});
      return isGone;
    },

    /** Deletes what a case and the delivery log still hold of a session that is gone. Returns false if there is no such case. */
    async redactKept(owner: Owner, by: { token: SessionToken } | { id: SessionId }) {
      const kept: KeptSession = 'token' in by ? { tokenLookup: lookupOf(by.token) } : by;
      const isGone = await database.transact(
        async (trx) => {
          const id = await cases.findKept(trx, owner, kept);
          if (id === undefined) return false;
          // The row itself waits for the next purge at most.
          await store.delete(trx, id);
          await forgetRedacted(trx, id);
          await discardUnfinished(trx, id);
          return true;
        },
        { makesRoom: true },
      );
      if (isGone) await eraseFreed().catch(() => {});
      return isGone;
    },

    /**
     * Deletes a session that cannot be ended, with all that hangs on it, once it is past its time for as long as an ended
     * one is kept; false before that.
     */
    giveUp: async ({ id, expires_at }: ExpiredSession) =>
      expires_at + retentionMs <= clock.now() && remove(id, store.deleteOpen),

    async listOverdue(kinds: readonly SessionKind[], after: ExpiredSession | undefined, limit: number) {
      const rows = await store.listOverdue(kinds, clock.now(), after, limit);
      return rows.map((row) => ({
        id: row.id,
        kind: row.kind,
        expires_at: row.expires_at,
        open: () => open(row),
      }));
    },

    /** Deletes what is past its retention, at most `limit`; how many there were. */
    purge: (limit: number) =>
      database.transact(
        async (trx) => {
          const gone = await store.deleteKeptLongEnough(trx, clock.now(), limit);
          if (gone.length === 0) return 0;
          await forgetPurged(trx, gone);
          await discardUnfinished(trx, ...gone);
          return gone.length;
        },
        { makesRoom: true },
      ),
  };
  return sessions;

  function remove(
    id: SessionId,
    deleteRow: (trx: Transaction, id: SessionId) => Promise<boolean>,
    noted?: InTransaction,
  ): Promise<boolean> {
    const work = async (trx: Transaction) => {
      for (const part of unfinished) await part.lockFor?.(trx, id);
      // Then the row: whoever is just ending the session is waited for, so that its webhook is found.
      if (!(await deleteRow(trx, id))) return false;
      await forgetRedacted(trx, id);
      await discardUnfinished(trx, id);
      await noted?.(trx);
      return true;
    };
    return database.transact(work, { makesRoom: true });
  }

  async function openCase(
    trx: Transaction,
    session: AnySession,
    { personId, ...end }: SessionEnd<SessionKind> & { endedAt: number },
  ): Promise<void> {
    const facts = factsOf(session, end);
    if (!facts) return;
    const { id, owner, apiKeyId } = session;
    const tokenLookup = session.kind === 'age' ? lookupOf(session.token) : undefined;
    await cases.openForSession(trx, { id, owner, apiKeyId, personId, tokenLookup, facts });
  }

  async function discardUnfinished(trx: Transaction, ...sessionIds: SessionId[]): Promise<void> {
    for (const part of unfinished) await part.discard(trx, ...sessionIds);
  }

  function visibleOf<Kind extends SessionKind>(
    kind: Kind,
    row: SessionRow | undefined,
    token?: SessionToken,
  ): Session<Kind> | undefined {
    const session = row?.kind === kind ? visible(row, token) : undefined;
    return session && isOfKind(session, kind) ? session : undefined;
  }

  function visible(row: SessionRow | undefined, token?: SessionToken): AnySession | undefined {
    return row && isKept(row) ? open(row, token) : undefined;
  }

  function isKept({ purge_at }: SessionRow): boolean {
    return purge_at === null || purge_at > clock.now();
  }

  function browsed(row: SessionRow): BrowsedSession {
    return { ...row, open: () => open(row) };
  }

  function digest(marks: readonly Mark[]): Buffer[] {
    return marks.map(digestOfMark);
  }

  /** `foundBy`: the token whose digest led to the row. */
  function open(row: SessionRow, foundBy?: SessionToken): AnySession {
    const { token, contents } = sealer.openJson(row.sealed, tables.sessions.places.sealed(row)) as SealedContents;
    const isItsOwn = foundBy === undefined ? lookupOf(token).equals(row.token_lookup) : token === foundBy;
    if (!isItsOwn) throw new Error('a session is under the token of another');
    // The seal binds what is in it to the row's kind: it opens only as what was written for that kind.
    return {
      id: row.id,
      kind: row.kind,
      token,
      owner: ownerFrom(row),
      apiKeyId: row.api_key_id,
      state: row.state,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      contents,
      outcome: row.outcome === null ? undefined : sealer.openJson(row.outcome, tables.sessions.places.outcome(row)),
    } as AnySession;
  }
}

export type Sessions = ReturnType<typeof createSessions>;

interface RowEnd<Kind extends SessionKind> extends Pick<SessionEnd<Kind>, 'outcome' | 'personId'> {
  /** Whether to end the session only if it was never opened. */
  unopened?: boolean;
  /** Ends it from any open state, past the steps that a device would have taken first. */
  asDevice?: boolean;
}

/** Undefined when it had ended already, was deleted or is not `unopened`. */
export async function endRow<Kind extends SessionKind>(
  trx: Transaction,
  sessions: Pick<Sessions, 'end'>,
  session: Session<Kind>,
  { outcome, personId, unopened = false, asDevice = false }: RowEnd<Kind>,
): Promise<{ purgeAt: number } | undefined> {
  const from = unopened ? (['created'] as const) : asDevice ? OPEN_STATES : undefined;
  return sessions.end(trx, session, { state: END_STATES[outcome.flowStatus], outcome, from, personId });
}

function createTokenLookup(sealer: Pick<Sealer, 'digest'>): (token: SessionToken) => Buffer {
  return (token) => sealer.digest('sessions/token', token);
}

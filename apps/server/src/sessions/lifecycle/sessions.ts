// Sessions of any kind: made, found by token, moved on, ended once, deleted with all that hangs on them.
import { columnsOf, isSameOwner, type Owner, ownerFrom } from '../../platform/api-keys/owner.ts';
import { shareRuns } from '../../platform/async/share-runs.ts';
import { isUuid, type PersonId, type SessionId, type SessionToken } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import type { CaseEvidence } from '../../review/case.ts';
import type { KeptSession, ReviewCases } from '../../review/cases.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import { tables } from '../tables.ts';
import { forgetPurged, forgetRedacted } from './forget.ts';
import type { SessionKind, SessionKinds } from './kinds.ts';
import { digestMark, type Mark, marksOfContents, marksOfOutcome } from './marks.ts';
import { factsOf } from './review-facts.ts';
import { END_STATES, type EndState, OPEN_STATES, type OpenState } from './rules.ts';
import { type AnySession, isOfKind, type Session } from './session.ts';
import type { ExpiredSession, SessionFilter, SessionRow, SessionStore } from './store.ts';

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

type BoundColumns = Pick<SessionRow, 'id' | 'kind' | 'customer' | 'world' | 'api_key_id' | 'created_at' | 'expires_at'>;

type SessionContext = Pick<Context, 'database' | 'sealer' | 'clock' | 'ids'> & {
  idempotency: Pick<Context['idempotency'], 'forget'>;
};

interface LifecycleNeighbors {
  webhooks: Pick<Webhooks, 'forgetSessions' | 'deleteSession'>;
  deviceChannels: { forget(trx: Transaction, ...sessionIds: SessionId[]): Promise<void> };
  cases: Pick<ReviewCases, 'openForSession' | 'sessionsWithCase' | 'keepEvidence' | 'findKept' | 'deleteOf'>;
  readEvidence(sessionId: SessionId, trx: Transaction): Promise<CaseEvidence>;
  /** Parts of the transaction that deletes a session: what it had begun for a person, and what they lock before. */
  unfinished: readonly {
    lockFor?(trx: Transaction, sessionId: SessionId): Promise<void>;
    discard(trx: Transaction, ...sessionIds: SessionId[]): Promise<void>;
  }[];
}

export class Sessions {
  readonly #context: SessionContext;
  readonly #store: SessionStore;
  readonly #neighbors: LifecycleNeighbors;
  readonly #retentionMs: number;
  readonly #eraseFreed: () => Promise<void>;

  constructor(context: SessionContext, store: SessionStore, neighbors: LifecycleNeighbors, retentionMs: number) {
    this.#context = context;
    this.#store = store;
    this.#neighbors = neighbors;
    this.#retentionMs = retentionMs;
    this.#eraseFreed = shareRuns(() => context.database.checkpoint());
  }

  async create<Kind extends SessionKind>(trx: Transaction, wanted: NewSession<Kind>): Promise<Session<Kind>> {
    const { clock, ids, sealer } = this.#context;
    const { id = ids.random<SessionId>(), kind, owner, apiKeyId, expiresAt, contents } = wanted;
    const token = ids.random<SessionToken>();
    const sealed: SealedContents = { token, contents };
    const createdAt = clock.now();
    const times = { created_at: createdAt, expires_at: expiresAt };
    const bound: BoundColumns = { id, kind, ...columnsOf(owner), api_key_id: apiKeyId, ...times };
    await this.#store.insert(trx, {
      ...bound,
      token_lookup: this.#lookupOf(token),
      state: 'created',
      ended_at: null,
      purge_at: null,
      sealed: sealer.sealJson(sealed, tables.sessions.places.sealed(bound)),
      outcome: null,
      person_id: null,
      end_state: null,
    });
    await this.#store.mark(trx, bound, this.#digest(marksOfContents(contents)));
    return { id, kind, token, owner, apiKeyId, state: 'created', createdAt, expiresAt, contents, outcome: undefined };
  }

  /**
   * Returns a session for its host, never another owner's. Returns undefined after its retention
   * period, even if the row still exists. Callers with a token but no API key pass null as
   * the owner.
   */
  async findByToken<Kind extends SessionKind>(owner: Owner | null, kind: Kind, token: SessionToken) {
    const row = isUuid(token) ? await this.#store.findByLookup(this.#lookupOf(token)) : undefined;
    const session = this.#visibleOf(kind, row, token);
    return session && (owner === null || isSameOwner(owner, session.owner)) ? session : undefined;
  }

  async findOwn<Kind extends SessionKind>(owner: Owner, kind: Kind, id: SessionId) {
    const session = isUuid(id) ? this.#visibleOf(kind, await this.#store.find(id)) : undefined;
    return session && isSameOwner(owner, session.owner) ? session : undefined;
  }

  /**
   * Returns a session for a device, which knows the session's link but no owner. All further
   * lookups use `session.owner`.
   */
  async find(id: SessionId) {
    return isUuid(id) ? this.#visible(await this.#store.find(id)) : undefined;
  }

  /** Lists sessions of every owner for an operator, newest first. */
  async browse({ marks, ...wanted }: SessionQuery) {
    const rows = await this.#store.list({ ...wanted, marks: this.#digest(marks) }, this.#context.clock.now());
    return rows.map((row) => this.#browsed(row));
  }

  async look(id: SessionId) {
    const row = isUuid(id) ? await this.#store.find(id) : undefined;
    return row && this.#isKept(row) ? this.#browsed(row) : undefined;
  }

  /** Returns false if the session is past its time or not in a state that `to` may follow. */
  move(id: SessionId, to: OpenState, trx?: Transaction) {
    const { clock, database } = this.#context;
    const moveIn = (its: Transaction) => this.#store.move(its, id, to, clock.now());
    return trx ? moveIn(trx) : database.transact(moveIn);
  }

  /**
   * Ends a session with its sealed outcome and returns when the row will be deleted. Returns
   * undefined if another call ended it first, or it is in none of the states `from`, if some are given.
   */
  async end<Kind extends SessionKind>(
    trx: Transaction,
    session: Session<Kind>,
    { state, outcome, from, personId }: SessionEnd<Kind>,
  ) {
    const { clock, sealer } = this.#context;
    const { id, createdAt } = session;
    const endedAt = clock.now();
    const purgeAt = endedAt + this.#retentionMs;
    const end = { id, state, ended_at: endedAt, purge_at: purgeAt, person_id: personId ?? null };
    const sealed = sealer.sealJson(outcome, tables.sessions.places.outcome(end));
    if (!(await this.#store.end(trx, { ...end, outcome: sealed }, from))) return undefined;
    await this.#store.mark(trx, { id, created_at: createdAt }, this.#digest(marksOfOutcome(outcome)));
    await this.#openCase(trx, session as AnySession, { state, outcome, personId, endedAt });
    return { purgeAt };
  }

  /** Deletes a session, what its devices left, its webhooks and its stored replies. Returns false if it is gone already. */
  redact(id: SessionId, noted?: InTransaction) {
    return this.#erase(() => this.#remove(id, this.#store.delete, noted));
  }

  /** Deletes what a case and the delivery log still hold of a session that is gone. Returns false if there is no such case. */
  redactKept(owner: Owner, by: { token: SessionToken } | { id: SessionId }) {
    const kept: KeptSession = 'token' in by ? { tokenLookup: this.#lookupOf(by.token) } : by;
    const work = async (trx: Transaction) => {
      const id = await this.#neighbors.cases.findKept(trx, owner, kept);
      if (id === undefined) return false;
      // The row itself waits for the next purge at most.
      await this.#store.delete(trx, id);
      await this.#forgetRedacted(trx, id);
      return true;
    };
    return this.#erase(() => this.#context.database.transact(work, { makesRoom: true }));
  }

  /**
   * Deletes a session that cannot be ended, with all that hangs on it, once it is past its time for
   * as long as an ended one is kept. Returns false before that.
   */
  async giveUp({ id, expires_at }: ExpiredSession) {
    const isLongOver = expires_at + this.#retentionMs <= this.#context.clock.now();
    return isLongOver && this.#remove(id, this.#store.deleteOpen);
  }

  async listOverdue(kinds: readonly SessionKind[], after: ExpiredSession | undefined, limit: number) {
    const rows = await this.#store.listOverdue(kinds, this.#context.clock.now(), after, limit);
    return rows.map((row): OverdueSession => ({ ...row, open: () => this.#open(row) }));
  }

  /** Deletes at most `limit` sessions that are past their retention; returns how many. */
  purge(limit: number) {
    const { database, clock, idempotency } = this.#context;
    return database.transact(
      async (trx) => {
        const gone = await this.#store.deleteKeptLongEnough(trx, clock.now(), limit);
        if (gone.length === 0) return 0;
        await forgetPurged(trx, gone, { ...this.#neighbors, idempotency });
        await this.#discardUnfinished(trx, ...gone);
        return gone.length;
      },
      { makesRoom: true },
    );
  }

  /** Deleted rows are overwritten in the file, but the log before it still has them; they are gone either way. */
  async #erase(remove: () => Promise<boolean>): Promise<boolean> {
    const isGone = await remove();
    if (isGone) await this.#eraseFreed().catch(() => {});
    return isGone;
  }

  #remove(id: SessionId, deleteRow: SessionStore['delete'], noted?: InTransaction): Promise<boolean> {
    const work = async (trx: Transaction) => {
      for (const part of this.#neighbors.unfinished) await part.lockFor?.(trx, id);
      // Then the row: a call that is just ending the session is waited for, so that its webhook is found.
      if (!(await deleteRow(trx, id))) return false;
      await this.#forgetRedacted(trx, id);
      await noted?.(trx);
      return true;
    };
    return this.#context.database.transact(work, { makesRoom: true });
  }

  async #forgetRedacted(trx: Transaction, id: SessionId): Promise<void> {
    await forgetRedacted(trx, id, { ...this.#neighbors, idempotency: this.#context.idempotency });
    await this.#discardUnfinished(trx, id);
  }

  async #discardUnfinished(trx: Transaction, ...sessionIds: SessionId[]): Promise<void> {
    for (const part of this.#neighbors.unfinished) await part.discard(trx, ...sessionIds);
  }

  async #openCase(
    trx: Transaction,
    session: AnySession,
    { personId, ...end }: SessionEnd<SessionKind> & { endedAt: number },
  ): Promise<void> {
    const facts = factsOf(session, end);
    if (!facts) return;
    const { id, owner, apiKeyId } = session;
    const tokenLookup = session.kind === 'age' ? this.#lookupOf(session.token) : undefined;
    await this.#neighbors.cases.openForSession(trx, { id, owner, apiKeyId, personId, tokenLookup, facts });
  }

  #visibleOf<Kind extends SessionKind>(
    kind: Kind,
    row: SessionRow | undefined,
    token?: SessionToken,
  ): Session<Kind> | undefined {
    const session = row?.kind === kind ? this.#visible(row, token) : undefined;
    return session && isOfKind(session, kind) ? session : undefined;
  }

  #visible(row: SessionRow | undefined, token?: SessionToken): AnySession | undefined {
    return row && this.#isKept(row) ? this.#open(row, token) : undefined;
  }

  #isKept({ purge_at }: SessionRow): boolean {
    return purge_at === null || purge_at > this.#context.clock.now();
  }

  #browsed(row: SessionRow): BrowsedSession {
    return { ...row, open: () => this.#open(row) };
  }

  #digest(marks: readonly Mark[]): Buffer[] {
    return marks.map((mark) => digestMark(this.#context.sealer, mark));
  }

  #lookupOf(token: SessionToken): Buffer {
    return this.#context.sealer.digest('sessions/token', token);
  }

  /** `foundBy`: the token whose digest led to the row. */
  #open(row: SessionRow, foundBy?: SessionToken): AnySession {
    const { sealer } = this.#context;
    const { token, contents } = sealer.openJson(row.sealed, tables.sessions.places.sealed(row)) as SealedContents;
    const isItsOwn = foundBy === undefined ? this.#lookupOf(token).equals(row.token_lookup) : token === foundBy;
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

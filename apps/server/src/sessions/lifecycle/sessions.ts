// Sessions of any kind: creates, finds, moves, ends and deletes them.
import { isSameOwner, type Owner, ownerColumns, ownerFrom } from '../../platform/api-keys/owner.ts';
import { shareRuns } from '../../platform/async/share-runs.ts';
import { isUuid, type PersonId, type SessionId, type SessionToken } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import type { SessionReference } from '../../review/cases.ts';
import { tables } from '../tables.ts';
import { forgetPurged, forgetRedacted, type LifecycleNeighbors } from './forget.ts';
import type { SessionKind, SessionKinds } from './kinds.ts';
import { digestMark, marksOfContents, marksOfOutcome, type SessionMark } from './marks.ts';
import { collectReviewFacts } from './review-facts.ts';
import { END_STATES, type EndState, OPEN_STATES, type OpenState } from './rules.ts';
import { type AnySession, isOfKind, type Session } from './session.ts';
import type { ExpiredSession, SessionFilter, SessionRow, SessionStore } from './store.ts';

interface SealedContents {
  token: SessionToken;
  contents: AnySession['contents'];
}

type NewSession<Kind extends SessionKind> = Pick<
  Session<Kind>,
  'kind' | 'owner' | 'apiKeyId' | 'expiresAt' | 'contents'
> & {
  id?: SessionId;
};

interface SessionEnd<Kind extends SessionKind> {
  state: EndState;
  outcome: SessionKinds[Kind]['outcome'];
  from?: readonly OpenState[] | undefined;
  /** Person whose deletion deletes the session. The caller holds their row (`FaceTokens.hold` or `confirm`). */
  personId?: PersonId | undefined;
}

/** Rows are opened one by one, so that an unreadable row affects no other. */
export type StoredSession = SessionRow & { open(): AnySession };

type SessionContext = Pick<Context, 'database' | 'sealer' | 'clock' | 'ids'> & {
  idempotency: Pick<Context['idempotency'], 'forget'>;
};

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
    const bound = { id, kind, ...ownerColumns(owner), api_key_id: apiKeyId, ...times };
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

  /** Returns a session until its retention ends. `owner` is null for a token without an API key. */
  async findByToken<Kind extends SessionKind>(owner: Owner | null, kind: Kind, token: SessionToken) {
    const row = isUuid(token) ? await this.#store.findByLookup(this.#lookupOf(token)) : undefined;
    const session = this.#visibleOf(kind, row, token);
    return session && (owner === null || isSameOwner(owner, session.owner)) ? session : undefined;
  }

  async findOwn<Kind extends SessionKind>(owner: Owner, kind: Kind, id: SessionId) {
    const session = isUuid(id) ? this.#visibleOf(kind, await this.#store.find(id)) : undefined;
    return session && isSameOwner(owner, session.owner) ? session : undefined;
  }

  /** Returns a session for a device, which knows its link but no owner. Later lookups use `session.owner`. */
  async find(id: SessionId) {
    return isUuid(id) ? this.#visible(await this.#store.find(id)) : undefined;
  }

  async browse({ marks, ...filter }: Omit<SessionFilter, 'marks'> & { marks: readonly SessionMark[] }) {
    const rows = await this.#store.list({ ...filter, marks: this.#digest(marks) }, this.#context.clock.now());
    return rows.map((row) => this.#stored(row));
  }

  async look(id: SessionId) {
    const row = isUuid(id) ? await this.#store.find(id) : undefined;
    return row && this.#isKept(row) ? this.#stored(row) : undefined;
  }

  move(id: SessionId, to: OpenState, trx?: Transaction) {
    const { clock, database } = this.#context;
    const work = (inTrx: Transaction) => this.#store.move(inTrx, id, to, clock.now());
    return trx ? work(trx) : database.transact(work);
  }

  /** Ends a session and returns when its row is deleted, or undefined if its state does not allow it. */
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

  /** Deletes a session with its channels, webhooks and stored replies. Returns false if it is gone already. */
  redact(id: SessionId, writeAudit?: InTransaction) {
    return this.#erase(() => this.#remove(id, this.#store.delete, writeAudit));
  }

  /** Deletes what a case and the delivery log keep of a purged session. Returns false without such a case. */
  redactKept(owner: Owner, by: { token: SessionToken } | { id: SessionId }) {
    const kept: SessionReference = 'token' in by ? { tokenLookup: this.#lookupOf(by.token) } : by;
    const work = async (trx: Transaction) => {
      const id = await this.#neighbors.cases.findKept(trx, owner, kept);
      if (id === undefined) return false;
      await this.#store.delete(trx, id);
      await this.#forgetRedacted(trx, id);
      return true;
    };
    return this.#erase(() => this.#context.database.transact(work, { makesRoom: true }));
  }

  /** Deletes a session that cannot be ended. Returns false within a retention period after its expiry. */
  async giveUp({ id, expires_at }: ExpiredSession) {
    const isDue = expires_at + this.#retentionMs <= this.#context.clock.now();
    return isDue && this.#remove(id, this.#store.deleteOpen);
  }

  async listOverdue(kinds: readonly SessionKind[], after: ExpiredSession | undefined, limit: number) {
    const rows = await this.#store.listOverdue(kinds, this.#context.clock.now(), after, limit);
    return rows.map((row) => this.#stored(row));
  }

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

  /** Also checkpoints the database, because its log still has the deleted rows. Failures are ignored. */
  async #erase(remove: () => Promise<boolean>): Promise<boolean> {
    const isGone = await remove();
    if (isGone) await this.#eraseFreed().catch(() => {});
    return isGone;
  }

  #remove(id: SessionId, deleteRow: SessionStore['delete'], writeAudit?: InTransaction): Promise<boolean> {
    const work = async (trx: Transaction) => {
      for (const part of this.#neighbors.unfinished) await part.lockFor?.(trx, id);
      // The row is locked next, which waits for a concurrent end and so finds its webhook.
      if (!(await deleteRow(trx, id))) return false;
      await this.#forgetRedacted(trx, id);
      await writeAudit?.(trx);
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
    const facts = collectReviewFacts(session, end);
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

  #stored(row: SessionRow): StoredSession {
    return { ...row, open: () => this.#open(row) };
  }

  #digest(marks: readonly SessionMark[]): Buffer[] {
    return marks.map((mark) => digestMark(this.#context.sealer, mark));
  }

  #lookupOf(token: SessionToken): Buffer {
    return this.#context.sealer.digest('sessions/token', token);
  }

  #open(row: SessionRow, foundBy?: SessionToken): AnySession {
    const { sealer } = this.#context;
    const { token, contents } = sealer.openJson(row.sealed, tables.sessions.places.sealed(row)) as SealedContents;
    const isOwn = foundBy === undefined ? this.#lookupOf(token).equals(row.token_lookup) : token === foundBy;
    if (!isOwn) throw new Error('a session is under the token of another');
    // The seal binds the contents to the kind of the row.
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

/** Ends a session by its flow status. `unopened`: only if never opened. `asDevice`: from any open state. */
export async function endRow<Kind extends SessionKind>(
  trx: Transaction,
  sessions: Pick<Sessions, 'end'>,
  session: Session<Kind>,
  ending: Pick<SessionEnd<Kind>, 'outcome' | 'personId'> & { unopened?: boolean; asDevice?: boolean },
) {
  const { outcome, personId, unopened, asDevice } = ending;
  const from = unopened ? (['created'] as const) : asDevice ? OPEN_STATES : undefined;
  return sessions.end(trx, session, { state: END_STATES[outcome.flowStatus], outcome, from, personId });
}

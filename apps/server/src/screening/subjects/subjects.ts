// Watched subjects as their customers handle them: written, listed, decided on, deleted.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  ALERT_KINDS,
  type DecideHitRequest,
  type HitDecision,
  type ScreenedAgainst,
  type WatchedSubjectCount,
} from '@limen/contract';
import { columnsOf, nameOf, type Owner, type OwnerName } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import { isUuid, type WatchedSubjectId } from '../../platform/base/ids.ts';
import { inGroups } from '../../platform/base/in-groups.ts';
import type { Context } from '../../platform/context.ts';
import { type Capacity, createCapacity } from '../../platform/database/capacity.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import { MAX_TEST_SUBJECTS } from '../limits.ts';
import type { DatasetInfo } from '../lists/folder/folder.ts';
import { tables } from '../tables.ts';
import { compareContents } from './compare-matches.ts';
import {
  type AlertRecord,
  type AlertRow,
  completeContent,
  type DecisionContent,
  digestReference,
  type GivenContent,
  type HitContent,
  type OpenedSubject,
  openHit,
  openRecord,
  openSubject,
  type StoredHit,
  type SubjectChangeContent,
  type SubjectContent,
  type SubjectRow,
  type WithdrawalContent,
} from './contents.ts';
import { ENGINE, type ScreeningEngine } from './engine.ts';
import { describeScreening } from './lists/find-news.ts';
import { factsOf } from './record-outcome.ts';
import { screeningJobOf } from './screening-job.ts';
import type { AlertFilter, RowPage, SubjectFilter, WatchStore } from './store.ts';
import type { WorkedLists } from './worked-lists.ts';

export interface Watched extends OpenedSubject {
  hitCount: number;
}

export interface PutSubject {
  watched: Watched;
  isNew: boolean;
}

interface Put {
  row: SubjectRow;
  outcome: 'added' | 'changed' | 'unchanged';
}

export interface PutCounts extends Record<Put['outcome'], number> {
  /** New subjects that there is no room for. */
  noRoom: GivenContent[];
}

interface AlertPage extends RowPage, Omit<AlertFilter, 'kinds'> {
  kind?: AlertRow['kind'] | undefined;
}

export interface WatchedSubjectsOptions
  extends Pick<Context, 'database' | 'sealer' | 'jobs' | 'idempotency' | 'clock' | 'ids'> {
  store: WatchStore;
  worked: Pick<WorkedLists, 'all'>;
  /** All lists that there are, loaded or not, with the demo. */
  lists: () => Promise<readonly DatasetInfo[]>;
  webhooks: Pick<Webhooks, 'deleteSession'>;
  cases: Pick<ReviewCases, 'openForHit' | 'hitDecided' | 'deleteOf'>;
  engine?: ScreeningEngine | undefined;
  /** Maximum number of subjects of one customer in each world. */
  maxSubjects: number;
}

export class WatchedSubjects {
  readonly #options: WatchedSubjectsOptions;
  readonly #capacities = new Map<OwnerName, Capacity>();
  readonly #openRecord = (row: AlertRow): AlertRecord => openRecord(this.#options.sealer, row);

  constructor(options: WatchedSubjectsOptions) {
    this.#options = options;
  }

  /** Prepares `put` within a transaction: counts the owner's subjects if that is due. */
  async prepare(owner: Owner): Promise<void> {
    return this.#capacityOf(owner).refresh();
  }

  /** Adds a subject, or changes the one of this reference; it is screened if that makes a difference. */
  async put(owner: Owner, apiKeyId: string, content: SubjectContent, within?: Transaction): Promise<PutSubject> {
    const { sealer, jobs } = this.#options;
    if (!within) await this.#capacityOf(owner).refresh();
    const { row, outcome } = await this.#transact(within, async (trx) => {
      const digest = digestReference(sealer, owner, content.reference);
      const put = await this.#add(trx, owner, this.#rowFor(owner, apiKeyId, content, digest), () => content);
      if (!put) throw tooManySubjects(this.#maxOf(owner));
      if (put.outcome !== 'unchanged') await jobs.enqueue(trx, screeningJobOf(put.row.world), { ids: [put.row.id] });
      return put;
    });
    const isNew = outcome === 'added';
    return { watched: isNew ? { row, content, hitCount: 0 } : await this.#describe(row, within), isNew };
  }

  /** Many at once, in one transaction; of a reference that comes twice, the last counts. What is not given stays as it is. */
  async putAll(owner: Owner, apiKeyId: string, contents: readonly GivenContent[]): Promise<PutCounts> {
    const { sealer, database, jobs } = this.#options;
    await this.#capacityOf(owner).refresh();
    const given = contents.map((content, at) => ({
      content,
      at,
      digest: digestReference(sealer, owner, content.reference),
    }));
    return database.transact(async (trx) => {
      const counts: PutCounts = { added: 0, changed: 0, unchanged: 0, noRoom: [] };
      const due = new Set<WatchedSubjectId>();
      for (const round of inRounds(given)) {
        const { puts, noRoom } = await this.#putRound(trx, owner, apiKeyId, round);
        counts.noRoom.push(...noRoom);
        for (const { row, outcome } of puts) {
          counts[outcome] += 1;
          if (outcome !== 'unchanged') due.add(row.id);
        }
      }
      if (due.size > 0) await jobs.enqueue(trx, screeningJobOf(columnsOf(owner).world), { ids: [...due] });
      return counts;
    });
  }

  count(owner: Owner): Promise<WatchedSubjectCount> {
    return this.#options.store.count(owner, (this.#options.engine ?? ENGINE).number);
  }

  async find(owner: Owner, id: string): Promise<Watched> {
    return this.#describe(isUuid(id) ? await this.#options.store.findOwn(owner, id) : undefined);
  }

  async findByReference(owner: Owner, reference: string): Promise<Watched> {
    const { store, sealer } = this.#options;
    const [row] = await store.findByReferences([digestReference(sealer, owner, reference)]);
    if (!row) throw noSubject('reference');
    return this.#describe(row);
  }

  /** Newest first. */
  async list(owner: Owner, page: RowPage & SubjectFilter): Promise<Watched[]> {
    const { store } = this.#options;
    const rows = await store.list({ ...page, ...columnsOf(owner) });
    const counts = await store.countHits(rows.map(({ id }) => id));
    return rows.map((row) => ({ row, content: this.#open(row), hitCount: counts.get(row.id) ?? 0 }));
  }

  /** With all that was found for it. */
  async remove(owner: Owner, id: string): Promise<void> {
    const { database, store, webhooks, cases, idempotency } = this.#options;
    const isGone = await database.transact(
      async (trx) => {
        if (!isUuid(id) || !(await store.delete(trx, owner, id))) return false;
        await webhooks.deleteSession(trx, id as WatchedSubjectId);
        await cases.deleteOf(trx, id as WatchedSubjectId);
        await idempotency.forget(trx, repliesAbout(id));
        return true;
      },
      { makesRoom: true },
    );
    if (!isGone) throw noSubject('id');
    this.#capacityOf(owner).removed({ rows: 1, bytes: 0 });
  }

  /** Best first. */
  async hits({ row }: Watched): Promise<StoredHit[]> {
    const { store, sealer } = this.#options;
    const hits: StoredHit[] = [];
    for (const page of inGroups(await store.hitsOf([row.id]), PAGE)) {
      hits.push(...page.map((hit) => openHit(sealer, row, hit)));
      await nextTurn();
    }
    return hits.sort((a, b) => b.match.score - a.match.score || (a.match.id < b.match.id ? -1 : 1));
  }

  /** `authorize` runs in the transaction that decides, and prevents it by failing. */
  decide(
    owner: Owner,
    id: string,
    hitId: string,
    { entryHash, decision: verdict, reason, author }: DecideHitRequest,
    authorize?: InTransaction,
    within?: Transaction,
  ): Promise<StoredHit> {
    const { clock, cases } = this.#options;
    const decidedAt = new Date(clock.now()).toISOString();
    const decision: HitDecision = { decision: verdict, reason, author, decidedAt };
    return this.#changeHit({ owner, id, hitId, within }, async (trx, subject, hit) => {
      if (hit.entryHash !== entryHash) {
        throw new AppError('entry_changed', 'The listed entry has changed since; read the hit again and decide anew.');
      }
      await authorize?.(trx);
      await this.#keep(trx, subject, 'decision', { hitId, entityId: hit.match.id, entryHash, decision });
      await cases.hitDecided(trx, hitId, factsOf(hit), decision);
      return { ...hit, decided: { decision, score: hit.match.score } };
    });
  }

  /** Takes a decision back: the hit is to be decided again, and both stay in the history. */
  withdraw(
    owner: Owner,
    id: string,
    hitId: string,
    { reason, author }: Pick<WithdrawalContent, 'reason' | 'author'>,
    writeAudit?: InTransaction,
    within?: Transaction,
  ): Promise<StoredHit> {
    return this.#changeHit({ owner, id, hitId, within }, async (trx, subject, { decided, ...open }) => {
      if (!decided) throw new AppError('not_found', 'Nothing is decided on this hit; the decision may have lapsed.');
      const { entryHash, match } = open;
      const kept = { hitId, entityId: match.id, entryHash, decision: decided.decision, reason, author };
      await this.#keep(trx, subject, 'withdrawal', kept);
      await writeAudit?.(trx);
      await this.#options.cases.openForHit(trx, subject, hitId, factsOf(open));
      return open;
    });
  }

  /** Lists that it was screened against, and the engine. */
  async screening({ row, content }: Watched): Promise<ScreenedAgainst> {
    return describeScreening(row, content.dataset, await this.#options.lists(), await this.#options.worked.all());
  }

  /** Newest first, without decisions and refreshed scores unless `kind` asks for them. */
  async alerts(owner: Owner, { kind, ...page }: AlertPage): Promise<AlertRecord[]> {
    const kinds = kind === undefined ? ALERT_KINDS : [kind];
    return (await this.#options.store.listAlerts({ ...page, kinds, ...columnsOf(owner) })).map(this.#openRecord);
  }

  /** Yields pages of all records, oldest first. Throws if records are deleted in between: a part must not pass for the whole. */
  async *history({ row }: Watched): AsyncGenerator<AlertRecord[]> {
    const { store } = this.#options;
    const { count, last = '' } = await store.sizeOfHistory(row.id);
    let seen = 0;
    for (let after = ''; after !== last; ) {
      const page = await store.historyBetween(row.id, after, last, PAGE);
      if (page.length === 0) break;
      yield page.map(this.#openRecord);
      seen += page.length;
      after = page.at(-1)!.id;
      await nextTurn();
    }
    if (seen < count) throw new AppError('not_found', 'The subject was deleted meanwhile.');
  }

  #maxOf(owner: Owner) {
    return columnsOf(owner).world === 'live'
      ? this.#options.maxSubjects
      : Math.min(this.#options.maxSubjects, MAX_TEST_SUBJECTS);
  }

  #capacityOf(owner: Owner): Capacity {
    const name = nameOf(owner);
    let capacity = this.#capacities.get(name);
    if (!capacity) {
      const count = async () => ({ rows: (await this.#options.store.count(owner, 0)).total, bytes: 0 });
      capacity = createCapacity({ max: { rows: this.#maxOf(owner), bytes: 0 }, count });
      this.#capacities.set(name, capacity);
    }
    return capacity;
  }

  /** Inserts as many rows as there is room for, the earlier ones if not all, and says which of those were there already. */
  async #insertWithin(trx: Transaction, owner: Owner, rows: ReadonlyMap<SubjectRow, Pick<GivenSubject, 'at'>>) {
    const capacity = this.#capacityOf(owner);
    const inOrder = [...rows].sort(([, one], [, other]) => one.at - other.at).map(([row]) => row);
    const noRoom = new Set(inOrder.slice(capacity.freeRows));
    const fitting = [...rows.keys()].filter((row) => !noRoom.has(row));
    if (fitting.length === 0) return { there: new Set<SubjectRow>(), noRoom };
    const end = capacity.reserve({ rows: fitting.length, bytes: 0 })!;
    let added = { rows: 0, bytes: 0 };
    try {
      const there = await this.#options.store.insertAll(trx, fitting);
      added = { rows: fitting.length - there.length, bytes: 0 };
      return { there: new Set(there), noRoom };
    } finally {
      end(added);
    }
  }

  #open(row: SubjectRow) {
    return openSubject(this.#options.sealer, row);
  }

  /** In the transaction of whoever has one already. */
  #transact<Result>(trx: Transaction | undefined, work: (trx: Transaction) => Promise<Result>) {
    return trx ? work(trx) : this.#options.database.transact(work);
  }

  async #describe(row: SubjectRow | undefined, trx?: Transaction): Promise<Watched> {
    if (!row) throw noSubject('id');
    const counts = await this.#options.store.countHits([row.id], trx);
    return { row, content: this.#open(row), hitCount: counts.get(row.id) ?? 0 };
  }

  async #change(trx: Transaction, row: SubjectRow, apiKeyId: string, make: MakeContent): Promise<Put> {
    const { store, clock, sealer } = this.#options;
    const before = this.#open(row);
    const content = make(before);
    if (isDeepStrictEqual(before, content)) {
      if (row.api_key_id !== apiKeyId) await store.update(trx, row.id, { api_key_id: apiKeyId });
      return { row: { ...row, api_key_id: apiKeyId }, outcome: 'unchanged' };
    }
    const values = {
      api_key_id: apiKeyId,
      revision: row.revision + 1,
      state: 'due' as const,
      // It is also the version that others hold: later than before, whatever the clock says.
      changed_at: Math.max(clock.now(), row.changed_at + 1),
      sealed: sealer.sealJson(content, tables.watched_subjects.places.sealed(row)),
    };
    await store.update(trx, row.id, values);
    const changes = compareContents(before, content);
    if (changes.length > 0) await this.#keep(trx, row, 'subject_changed', { changes });
    return { row: { ...row, ...values }, outcome: 'changed' };
  }

  #rowFor(owner: Owner, apiKeyId: string, content: SubjectContent, digest: Buffer): SubjectRow {
    const { clock, ids, sealer } = this.#options;
    const now = clock.now();
    const bound = { id: ids.sortable<WatchedSubjectId>(), ...columnsOf(owner) };
    return {
      ...bound,
      api_key_id: apiKeyId,
      reference_digest: digest,
      revision: 1,
      state: 'due',
      created_at: now,
      changed_at: now,
      screened_at: null,
      hit_state: 'none',
      engine: 0,
      more_hits: 0,
      sealed: sealer.sealJson(content, tables.watched_subjects.places.sealed(bound)),
    };
  }

  /** Undefined if the subject is new and there is no room for it. */
  async #add(trx: Transaction, owner: Owner, row: SubjectRow, make: MakeContent): Promise<Put | undefined> {
    // Only one that is deleted at this very moment is neither added nor found; then it is added after all.
    for (;;) {
      const { there, noRoom } = await this.#insertWithin(trx, owner, new Map([[row, { at: 0 }]]));
      if (there.size + noRoom.size === 0) return { row, outcome: 'added' };
      const [known] = await this.#options.store.holdByReferences(trx, [row.reference_digest]);
      if (known) return this.#change(trx, known, row.api_key_id, make);
      if (noRoom.size > 0) return undefined;
    }
  }

  /** Each reference once, in order. */
  async #putRound(
    trx: Transaction,
    owner: Owner,
    apiKeyId: string,
    round: readonly GivenSubject[],
  ): Promise<{ puts: Put[]; noRoom: GivenContent[] }> {
    const held = await this.#options.store.holdByReferences(
      trx,
      round.map(({ digest }) => digest),
    );
    const known = new Map(held.map((row) => [Buffer.from(row.reference_digest).toString('hex'), row]));
    const puts: Put[] = [];
    const noRoom: GivenContent[] = [];
    const fresh = new Map<SubjectRow, Omit<GivenSubject, 'digest'> & { make: MakeContent }>();
    for (const { content, digest, at } of round) {
      const before = known.get(digest.toString('hex'));
      const make: MakeContent = (kept) => completeContent(content, kept);
      if (before) puts.push(await this.#change(trx, before, apiKeyId, make));
      else fresh.set(this.#rowFor(owner, apiKeyId, make(), digest), { content, at, make });
    }
    const inserted = await this.#insertWithin(trx, owner, fresh);
    for (const [row, { content, make }] of fresh) {
      const isAdded = !inserted.there.has(row) && !inserted.noRoom.has(row);
      const put: Put | undefined = isAdded ? { row, outcome: 'added' } : await this.#add(trx, owner, row, make);
      if (put) puts.push(put);
      else noRoom.push(content);
    }
    return { puts, noRoom };
  }

  /** Writes a hit as `change` returns it, with the subject locked so that a new version of the list does not change the hit. */
  async #changeHit(
    { owner, id, hitId, within }: { owner: Owner; id: string; hitId: string; within: Transaction | undefined },
    change: (trx: Transaction, subject: SubjectRow, hit: HitContent) => Promise<HitContent>,
  ): Promise<StoredHit> {
    const { store, sealer } = this.#options;
    const found = isUuid(id) ? await store.findOwn(owner, id, within) : undefined;
    const { row: subject } = await this.#describe(found, within);
    return this.#transact(within, async (trx) => {
      const [held] = await store.holdAll(trx, [subject.id]);
      const hitRow = held ? (await store.hitsOf([held.id], trx)).find((hit) => hit.id === hitId) : undefined;
      if (!hitRow) throw new AppError('not_found', 'There is no hit with this id; it may be gone from the list.');
      const { row, ...hit } = openHit(sealer, subject, hitRow);
      const changed = await change(trx, subject, hit);
      await store.writeHit(trx, {
        ...row,
        is_open: changed.decided ? 0 : 1,
        sealed: sealer.sealJson(changed, tables.watched_hits.places.sealed(row, subject)),
      });
      return { ...changed, row };
    });
  }

  async #keep(
    trx: Transaction,
    { id: subject_id, customer, world }: SubjectRow,
    kind: 'decision' | 'withdrawal' | 'subject_changed',
    content: DecisionContent | WithdrawalContent | SubjectChangeContent,
  ): Promise<void> {
    const { ids, store, clock, sealer } = this.#options;
    const bound = { id: ids.sortable(), customer, world, subject_id, kind };
    await store.insertAlert(trx, {
      ...bound,
      created_at: clock.now(),
      sealed: sealer.sealJson(content, tables.screening_alerts.places.sealed(bound)),
    });
  }
}

export function tooManySubjects(max: number): AppError {
  return new AppError(
    'store_full',
    `There are ${max} watched subjects, the maximum; delete some first, or have MAX_SUBJECTS raised.`,
  );
}

function noSubject(by: 'id' | 'reference'): AppError {
  return new AppError('not_found', `There is no watched subject with this ${by}.`);
}

/** What idempotent replies about a subject and its hits are kept under. */
export function repliesAbout(subjectId: string): string {
  return `watched-subjects/${subjectId}`;
}

/** Opened in one go: a page takes some milliseconds. */
const PAGE = 100;

/** What is to be kept of a subject, of which this was kept before. */
type MakeContent = (before?: SubjectContent) => SubjectContent;

interface GivenSubject {
  content: GivenContent;
  digest: Buffer;
  /** Place among those that were given together. */
  at: number;
}

/** Those of one reference one after the other, each round in an order of its own: who adds the same ones takes them in the same. */
function inRounds(given: readonly GivenSubject[]): GivenSubject[][] {
  const times = new Map<string, number>();
  const rounds = Map.groupBy(given, ({ digest }) => {
    const key = digest.toString('hex');
    const round = times.get(key) ?? 0;
    times.set(key, round + 1);
    return round;
  });
  return [...rounds.values()].map((round) => round.sort((one, other) => Buffer.compare(one.digest, other.digest)));
}

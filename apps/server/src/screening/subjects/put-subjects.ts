// Adds and changes watched subjects: one at a time, or many of an import together.
import { isDeepStrictEqual } from 'node:util';
import { columnsOf, nameOf, type Owner, type OwnerName } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { WatchedSubjectId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import { type Capacity, createCapacity } from '../../platform/database/capacity.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { MAX_TEST_SUBJECTS } from '../limits.ts';
import { tables } from '../tables.ts';
import { compareContents } from './compare-matches.ts';
import {
  completeContent,
  digestReference,
  type GivenContent,
  openSubject,
  type SubjectContent,
  type SubjectRow,
  type WatchedEntry,
} from './contents.ts';
import { insertRecord, type RecordTools } from './record-outcome.ts';
import { screeningJobOf } from './screening-job.ts';

export interface PutSubject {
  watched: WatchedEntry;
  isNew: boolean;
}

interface PutOutcome {
  row: SubjectRow;
  outcome: 'added' | 'changed' | 'unchanged';
}

export interface PutCounts extends Record<PutOutcome['outcome'], number> {
  /** New subjects that there is no room for. */
  noRoom: GivenContent[];
}

interface GivenSubject {
  /** Place among those that were given together. */
  at: number;
  digest: Buffer;
  /** Makes the content to keep from the content that was kept before. */
  make(before?: SubjectContent): SubjectContent;
}

export interface PutTools
  extends Pick<Context, 'database' | 'jobs'>,
    Pick<RecordTools, 'store' | 'sealer' | 'clock' | 'ids'> {
  /** Maximum number of subjects of one customer in each world. */
  maxSubjects: number;
}

export class SubjectPuts {
  readonly #tools: PutTools;
  readonly #capacities = new Map<OwnerName, Capacity>();

  constructor(tools: PutTools) {
    this.#tools = tools;
  }

  /** Prepares `put` within a transaction: counts the owner's subjects if that is due. */
  async prepare(owner: Owner): Promise<void> {
    return this.#capacityOf(owner).refresh();
  }

  /** Adds a subject, or changes the one of this reference; it is screened if that makes a difference. */
  async put(owner: Owner, apiKeyId: string, content: SubjectContent, within?: Transaction): Promise<PutSubject> {
    const { database, store, sealer, jobs } = this.#tools;
    if (!within) await this.#capacityOf(owner).refresh();
    const given = { at: 0, digest: digestReference(sealer, owner, content.reference), make: () => content };
    const write = async (trx: Transaction) => {
      const [put] = (await this.#putRound(trx, owner, apiKeyId, [given])).puts;
      if (!put) throw tooManySubjects(this.#maxOf(owner));
      if (put.outcome !== 'unchanged') await jobs.enqueue(trx, screeningJobOf(put.row.world), { ids: [put.row.id] });
      const isNew = put.outcome === 'added';
      const counts = await store.countHits(isNew ? [] : [put.row.id], trx);
      return { watched: { row: put.row, content, hitCount: counts.get(put.row.id) ?? 0 }, isNew };
    };
    return within ? write(within) : database.transact(write);
  }

  /** Puts many in one transaction; of a reference that comes twice, the last counts. Fields that are not given stay as they are. */
  async putAll(owner: Owner, apiKeyId: string, contents: readonly GivenContent[]): Promise<PutCounts> {
    const { sealer, database, jobs } = this.#tools;
    await this.#capacityOf(owner).refresh();
    const given = contents.map((content, at) => ({
      at,
      digest: digestReference(sealer, owner, content.reference),
      make: (before?: SubjectContent) => completeContent(content, before),
    }));
    return database.transact(async (trx) => {
      const counts: PutCounts = { added: 0, changed: 0, unchanged: 0, noRoom: [] };
      const due = new Set<WatchedSubjectId>();
      for (const round of inRounds(given)) {
        const { puts, noRoom } = await this.#putRound(trx, owner, apiKeyId, round);
        counts.noRoom.push(...noRoom.map(({ at }) => contents[at]!));
        for (const { row, outcome } of puts) {
          counts[outcome] += 1;
          if (outcome !== 'unchanged') due.add(row.id);
        }
      }
      if (due.size > 0) await jobs.enqueue(trx, screeningJobOf(columnsOf(owner).world), { ids: [...due] });
      return counts;
    });
  }

  removed(owner: Owner): void {
    this.#capacityOf(owner).removed({ rows: 1, bytes: 0 });
  }

  #maxOf(owner: Owner) {
    return columnsOf(owner).world === 'live'
      ? this.#tools.maxSubjects
      : Math.min(this.#tools.maxSubjects, MAX_TEST_SUBJECTS);
  }

  #capacityOf(owner: Owner): Capacity {
    const name = nameOf(owner);
    let capacity = this.#capacities.get(name);
    if (!capacity) {
      const count = async () => ({ rows: (await this.#tools.store.count(owner, 0)).total, bytes: 0 });
      capacity = createCapacity({ max: { rows: this.#maxOf(owner), bytes: 0 }, count });
      this.#capacities.set(name, capacity);
    }
    return capacity;
  }

  /** Puts each reference once. New subjects are added as far as there is room, the earlier ones first. */
  async #putRound(
    trx: Transaction,
    owner: Owner,
    apiKeyId: string,
    round: readonly GivenSubject[],
  ): Promise<{ puts: PutOutcome[]; noRoom: GivenSubject[] }> {
    const digests = round.map(({ digest }) => digest);
    const held = await this.#tools.store.holdByReferences(trx, digests);
    const known = new Map(held.map((row) => [Buffer.from(row.reference_digest).toString('hex'), row]));
    const puts: PutOutcome[] = [];
    const fresh: GivenSubject[] = [];
    for (const given of round) {
      const before = known.get(given.digest.toString('hex'));
      if (before) puts.push(await this.#change(trx, before, apiKeyId, given.make));
      else fresh.push(given);
    }
    const capacity = this.#capacityOf(owner);
    const noRoom = fresh.toSorted((one, other) => one.at - other.at).slice(capacity.freeRows);
    const fitting = fresh.filter((given) => !noRoom.includes(given));
    if (fitting.length === 0) return { puts, noRoom };
    const rows = new Map(fitting.map((given) => [this.#rowFor(owner, apiKeyId, given), given]));
    const there = await this.#insert(trx, capacity, [...rows.keys()]);
    for (const row of rows.keys()) if (!there.includes(row)) puts.push({ row, outcome: 'added' });
    if (there.length === 0) return { puts, noRoom };
    // Added by others in between, or deleted since.
    const again = await this.#putRound(
      trx,
      owner,
      apiKeyId,
      there.map((row) => rows.get(row)!),
    );
    return { puts: [...puts, ...again.puts], noRoom: [...noRoom, ...again.noRoom] };
  }

  /** Returns the rows that were there already. */
  async #insert(trx: Transaction, capacity: Capacity, rows: readonly SubjectRow[]): Promise<SubjectRow[]> {
    const end = capacity.reserve({ rows: rows.length, bytes: 0 })!;
    let added = 0;
    try {
      const there = await this.#tools.store.insertAll(trx, rows);
      added = rows.length - there.length;
      return there;
    } finally {
      end({ rows: added, bytes: 0 });
    }
  }

  async #change(trx: Transaction, row: SubjectRow, apiKeyId: string, make: GivenSubject['make']): Promise<PutOutcome> {
    const { store, clock, sealer } = this.#tools;
    const before = openSubject(sealer, row);
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
    if (changes.length > 0) await insertRecord(trx, this.#tools, row, 'subject_changed', { changes });
    return { row: { ...row, ...values }, outcome: 'changed' };
  }

  #rowFor(owner: Owner, apiKeyId: string, { digest, make }: GivenSubject): SubjectRow {
    const { clock, ids, sealer } = this.#tools;
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
      sealed: sealer.sealJson(make(), tables.watched_subjects.places.sealed(bound)),
    };
  }
}

export function tooManySubjects(max: number): AppError {
  return new AppError(
    'store_full',
    `There are ${max} watched subjects, the maximum; delete some first, or have MAX_SUBJECTS raised.`,
  );
}

/**
 * Cuts into rounds that have each reference once. Each round is ordered by reference, so that two imports of the same subjects
 * lock them in the same order.
 */
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

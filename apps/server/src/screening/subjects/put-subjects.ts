// Adds and changes watched subjects, one at a time or many of an import together.
import { isDeepStrictEqual } from 'node:util';
import { formatOwner, type Owner, type OwnerName, ownerColumns } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { WatchedSubjectId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import { type Capacity, createCapacity } from '../../platform/database/capacity.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { MAX_TEST_SUBJECTS } from '../limits.ts';
import { tables } from '../tables.ts';
import { compareContents } from './compare-matches.ts';
import type { SubjectContent, SubjectInput, SubjectRow } from './contents.ts';
import { completeContent, digestReference, openSubject } from './contents.ts';
import { insertRecord } from './record-outcome.ts';
import { findScreeningJob } from './screening-job.ts';
import type { WatchStore } from './store.ts';

type PutOutcome = { row: SubjectRow; outcome: 'added' | 'changed' | 'unchanged' };

interface SubjectPut {
  /** Place among the subjects of one call. */
  at: number;
  digest: Buffer;
  make(before?: SubjectContent): SubjectContent;
}

export interface PutTools extends Pick<Context, 'database' | 'jobs' | 'sealer' | 'clock' | 'ids'> {
  store: WatchStore;
  maxSubjects: number;
}

export class SubjectPuts {
  readonly #tools: PutTools;
  readonly #capacities = new Map<OwnerName, Capacity>();

  constructor(tools: PutTools) {
    this.#tools = tools;
  }

  /** Counts the owner's subjects if that is due. Call it before `put` within a transaction. */
  async prepare(owner: Owner): Promise<void> {
    return this.#capacityOf(owner).refresh();
  }

  /** Adds a subject, or changes the one with this reference. Enqueues its screening unless nothing changed. */
  async put(owner: Owner, apiKeyId: string, content: SubjectContent, within?: Transaction) {
    const { database, store, sealer, jobs } = this.#tools;
    if (!within) await this.prepare(owner);
    const subjectPut = { at: 0, digest: digestReference(sealer, owner, content.reference), make: () => content };
    const write = async (trx: Transaction) => {
      const [put] = (await this.#putRound(trx, owner, apiKeyId, [subjectPut])).puts;
      if (!put)
        throw new AppError(
          'store_full',
          `There are ${this.#maxOf(owner)} watched subjects, the maximum; delete some first, or have MAX_SUBJECTS raised.`,
        );
      const { row, outcome } = put;
      if (outcome !== 'unchanged') await jobs.enqueue(trx, findScreeningJob(row.world), { ids: [row.id] });
      const isNew = outcome === 'added';
      const counts = await store.countHits(isNew ? [] : [row.id], trx);
      return { watched: { row, content, hitCount: counts.get(row.id) ?? 0 }, isNew };
    };
    return within ? write(within) : database.transact(write);
  }

  /** Puts many in one transaction. The last one of a repeated reference counts. Returns new subjects that exceed the limit. */
  async putAll(owner: Owner, apiKeyId: string, contents: readonly SubjectInput[]) {
    const { sealer, database, jobs } = this.#tools;
    await this.prepare(owner);
    const subjectPuts = contents.map((content, at) => ({
      at,
      digest: digestReference(sealer, owner, content.reference),
      make: (before?: SubjectContent) => completeContent(content, before),
    }));
    return database.transact(async (trx) => {
      const counts = { added: 0, changed: 0, unchanged: 0, noRoom: [] as SubjectInput[] };
      const due = new Set<WatchedSubjectId>();
      for (const round of inRounds(subjectPuts)) {
        const { puts, noRoom } = await this.#putRound(trx, owner, apiKeyId, round);
        counts.noRoom.push(...noRoom.map(({ at }) => contents[at]!));
        for (const { row, outcome } of puts) {
          counts[outcome] += 1;
          if (outcome !== 'unchanged') due.add(row.id);
        }
      }
      if (due.size > 0) await jobs.enqueue(trx, findScreeningJob(owner.world), { ids: [...due] });
      return counts;
    });
  }

  removed(owner: Owner): void {
    this.#capacityOf(owner).removed({ rows: 1, bytes: 0 });
  }

  #maxOf({ world }: Owner): number {
    const { maxSubjects } = this.#tools;
    return world === 'live' ? maxSubjects : Math.min(maxSubjects, MAX_TEST_SUBJECTS);
  }

  #capacityOf(owner: Owner): Capacity {
    const name = formatOwner(owner);
    let capacity = this.#capacities.get(name);
    if (!capacity) {
      const count = async () => ({ rows: (await this.#tools.store.count(owner, 0)).total, bytes: 0 });
      capacity = createCapacity({ max: { rows: this.#maxOf(owner), bytes: 0 }, count });
      this.#capacities.set(name, capacity);
    }
    return capacity;
  }

  /** Puts subjects of distinct references. Adds new ones up to the limit, in their order. */
  async #putRound(trx: Transaction, owner: Owner, apiKeyId: string, round: readonly SubjectPut[]) {
    const { store } = this.#tools;
    const capacity = this.#capacityOf(owner);
    const puts: PutOutcome[] = [];
    const noRoom: SubjectPut[] = [];
    // Repeated for references that other processes add in between.
    for (let rest = round; rest.length > 0; ) {
      const digests = rest.map(({ digest }) => digest);
      const held = await store.holdByReferences(trx, digests);
      const known = new Map(held.map((row) => [Buffer.from(row.reference_digest).toString('hex'), row]));
      const fresh: SubjectPut[] = [];
      for (const subjectPut of rest) {
        const before = known.get(subjectPut.digest.toString('hex'));
        if (before) puts.push(await this.#change(trx, before, apiKeyId, subjectPut.make));
        else fresh.push(subjectPut);
      }
      const tooMany = fresh.toSorted((a, b) => a.at - b.at).slice(capacity.freeRows);
      noRoom.push(...tooMany);
      const fitting = fresh.filter((subjectPut) => !tooMany.includes(subjectPut));
      if (fitting.length === 0) break;
      const rows = new Map(fitting.map((subjectPut) => [this.#rowFor(owner, apiKeyId, subjectPut), subjectPut]));
      const end = capacity.reserve({ rows: rows.size, bytes: 0 })!;
      let added: SubjectRow[] = [];
      try {
        added = await store.insertAll(trx, [...rows.keys()]);
      } finally {
        end({ rows: added.length, bytes: 0 });
      }
      for (const row of added) {
        puts.push({ row, outcome: 'added' });
        rows.delete(row);
      }
      rest = [...rows.values()];
    }
    return { puts, noRoom };
  }

  async #change(trx: Transaction, row: SubjectRow, apiKeyId: string, make: SubjectPut['make']): Promise<PutOutcome> {
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
      // Serves as a version too, so it grows even if the clock does not.
      changed_at: Math.max(clock.now(), row.changed_at + 1),
      sealed: sealer.sealJson(content, tables.watched_subjects.places.sealed(row)),
    };
    await store.update(trx, row.id, values);
    const changes = compareContents(before, content);
    if (changes.length > 0) await insertRecord(trx, this.#tools, row, 'subject_changed', { changes });
    return { row: { ...row, ...values }, outcome: 'changed' };
  }

  #rowFor(owner: Owner, apiKeyId: string, { digest, make }: SubjectPut): SubjectRow {
    const { clock, ids, sealer } = this.#tools;
    const now = clock.now();
    const bound = { id: ids.sortable<WatchedSubjectId>(), ...ownerColumns(owner) };
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

/** Cuts into rounds of distinct references, sorted by reference: two imports of the same subjects lock them in one order. */
function inRounds(subjectPuts: readonly SubjectPut[]): SubjectPut[][] {
  const times = new Map<string, number>();
  const rounds = Map.groupBy(subjectPuts, ({ digest }) => {
    const key = digest.toString('hex');
    const round = times.get(key) ?? 0;
    times.set(key, round + 1);
    return round;
  });
  return [...rounds.values()].map((round) => round.sort((a, b) => Buffer.compare(a.digest, b.digest)));
}

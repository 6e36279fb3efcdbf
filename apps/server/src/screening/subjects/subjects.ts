// Watched subjects as their customers handle them: found, listed, followed and deleted.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ALERT_KINDS, type ScreenedAgainst, type WatchedSubjectCount } from '@limen/contract';
import { columnsOf, type Owner } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import { isUuid, type WatchedSubjectId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import type { DatasetInfo } from '../lists/folder/folder.ts';
import type { AlertRecord, AlertRow, SubjectRow, WatchedEntry } from './contents.ts';
import { digestReference, openRecord, openSubject } from './contents.ts';
import { ENGINE, type ScreeningEngine } from './engine.ts';
import { type HitTools, noSubject, SubjectHits } from './hits.ts';
import { describeScreening } from './lists/find-news.ts';
import { type PutTools, SubjectPuts } from './put-subjects.ts';
import type { AlertFilter, RowPage, SubjectFilter } from './store.ts';
import type { WorkedLists } from './worked-lists.ts';

const PAGE = 100;

interface WatchedSubjectsOptions extends Pick<Context, 'idempotency'>, HitTools, PutTools {
  worked: Pick<WorkedLists, 'all'>;
  /** Reads all lists with the demo, loaded or not. */
  lists: () => Promise<readonly DatasetInfo[]>;
  webhooks: Pick<Webhooks, 'deleteSession'>;
  cases: Pick<ReviewCases, 'openForHit' | 'hitDecided' | 'deleteOf'>;
  engine?: ScreeningEngine | undefined;
}

export class WatchedSubjects {
  readonly hits: SubjectHits;
  readonly puts: SubjectPuts;
  readonly #options: WatchedSubjectsOptions;
  readonly #openRecord = (row: AlertRow): AlertRecord => openRecord(this.#options.sealer, row);

  constructor(options: WatchedSubjectsOptions) {
    this.#options = options;
    this.hits = new SubjectHits(options);
    this.puts = new SubjectPuts(options);
  }

  count(owner: Owner): Promise<WatchedSubjectCount> {
    return this.#options.store.count(owner, (this.#options.engine ?? ENGINE).number);
  }

  async find(owner: Owner, id: string): Promise<WatchedEntry> {
    const row = isUuid(id) ? await this.#options.store.findOwn(owner, id) : undefined;
    if (!row) throw noSubject('id');
    return (await this.#describe([row]))[0]!;
  }

  async findByReference(owner: Owner, reference: string): Promise<WatchedEntry> {
    const { store, sealer } = this.#options;
    const rows = await store.findByReferences([digestReference(sealer, owner, reference)]);
    if (rows.length === 0) throw noSubject('reference');
    return (await this.#describe(rows))[0]!;
  }

  /** Newest first. */
  async list(owner: Owner, page: RowPage & SubjectFilter): Promise<WatchedEntry[]> {
    return this.#describe(await this.#options.store.list({ ...page, ...columnsOf(owner) }));
  }

  /** Deletes a subject with its hits, alerts, webhooks and cases. */
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
    this.puts.removed(owner);
  }

  async screening({ row, content }: WatchedEntry): Promise<ScreenedAgainst> {
    return describeScreening(row, content.dataset, await this.#options.lists(), await this.#options.worked.all());
  }

  /** Newest first. Without `kind`, leaves out decisions and refreshed scores. */
  async alerts(
    owner: Owner,
    { kind, ...page }: RowPage & Omit<AlertFilter, 'kinds'> & { kind?: AlertRow['kind'] | undefined },
  ): Promise<AlertRecord[]> {
    const kinds = kind === undefined ? ALERT_KINDS : [kind];
    return (await this.#options.store.listAlerts({ ...page, kinds, ...columnsOf(owner) })).map(this.#openRecord);
  }

  /** Yields pages of all records, oldest first. Throws if records are deleted in between: a part must not pass for the whole. */
  async *history({ row }: WatchedEntry): AsyncGenerator<AlertRecord[]> {
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

  async #describe(rows: readonly SubjectRow[]): Promise<WatchedEntry[]> {
    const { store, sealer } = this.#options;
    const counts = await store.countHits(rows.map(({ id }) => id));
    return rows.map((row) => ({ row, content: openSubject(sealer, row), hitCount: counts.get(row.id) ?? 0 }));
  }
}

/** Names a subject and its hits as the resource of idempotent replies. */
export function repliesAbout(subjectId: string): string {
  return `watched-subjects/${subjectId}`;
}

// Watched subjects and their hits as customers handle them: found, listed, decided on and deleted.
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  ALERT_KINDS,
  type DecideHitRequest,
  type HitDecision,
  type ScreenedAgainst,
  type WatchedSubjectCount,
  type WithdrawDecisionRequest,
} from '@limen/contract';
import { type Owner, ownerColumns } from '../../platform/api-keys/owner.ts';
import { inGroups } from '../../platform/base/batches.ts';
import { AppError } from '../../platform/base/errors.ts';
import { isUuid, type WatchedSubjectId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import { reportEditedRow } from '../../platform/sealing/edited-rows.ts';
import { UnknownDataKeyError } from '../../platform/sealing/sealer.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import type { DatasetInfo } from '../lists/folder/folder.ts';
import { tables } from '../tables.ts';
import type { AlertRecord, AlertRow, HitContent, StoredHit, SubjectRow, WatchedEntry } from './contents.ts';
import { digestReference, openHit, openRecord, openSubject } from './contents.ts';
import { ENGINE, type ScreeningEngine } from './engine.ts';
import { describeScreening } from './lists/find-news.ts';
import { type PutTools, SubjectPuts } from './put-subjects.ts';
import { insertRecord, toHitFacts } from './record-outcome.ts';
import type { AlertFilter, RowPage, SubjectFilter } from './store.ts';
import type { WorkedLists } from './worked-lists.ts';

/** Rows that are opened at a time, which takes some milliseconds. */
const PAGE = 100;

interface WatchedSubjectsOptions extends Pick<Context, 'idempotency' | 'log'>, PutTools {
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
  readonly #openSubject = (row: SubjectRow) => ({ row, content: openSubject(this.#options.sealer, row) });

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
    const [found] = await this.#describe(this.#openWhole('watched_subjects', row ? [row] : [], this.#openSubject));
    if (!found) throw noSubject('id');
    return found;
  }

  async findByReference(owner: Owner, reference: string): Promise<WatchedEntry> {
    const { store, sealer } = this.#options;
    const rows = await store.findByReferences([digestReference(sealer, owner, reference)]);
    const [found] = await this.#describe(this.#openWhole('watched_subjects', rows, this.#openSubject));
    if (!found) throw noSubject('reference');
    return found;
  }

  /** Newest first. */
  async list(owner: Owner, page: RowPage & SubjectFilter): Promise<WatchedEntry[]> {
    const read = (part: RowPage) => this.#options.store.list({ ...page, ...part, ...ownerColumns(owner) });
    return this.#describe(await this.#listWhole('watched_subjects', page, read, this.#openSubject));
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
    const read = (part: RowPage) => this.#options.store.listAlerts({ ...page, ...part, kinds, ...ownerColumns(owner) });
    return this.#listWhole('screening_alerts', page, read, this.#openRecord);
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
    if (seen < count) throw new AppError('not_found', 'The subject was deleted during the request.');
  }

  async #describe(subjects: readonly Omit<WatchedEntry, 'hitCount'>[]): Promise<WatchedEntry[]> {
    const counts = await this.#options.store.countHits(subjects.map(({ row }) => row.id));
    return subjects.map((subject) => ({ ...subject, hitCount: counts.get(subject.row.id) ?? 0 }));
  }

  /** Fills a page with rows that open: an edited row must not hide the rest of a list. */
  async #listWhole<Row extends { id: string }, Opened>(
    table: string,
    { before, limit }: RowPage,
    read: (part: RowPage) => Promise<Row[]>,
    open: (row: Row) => Opened,
  ): Promise<Opened[]> {
    const opened: Opened[] = [];
    for (let last = before; opened.length < limit; ) {
      const part = { before: last, limit: limit - opened.length };
      const rows = await read(part);
      opened.push(...this.#openWhole(table, rows, open));
      if (rows.length < part.limit) break;
      last = rows.at(-1)!.id;
    }
    return opened;
  }

  /** Leaves out rows that were edited in the database. */
  #openWhole<Row extends { id: string }, Opened>(table: string, rows: readonly Row[], open: (row: Row) => Opened) {
    return rows.flatMap((row) => {
      try {
        return [open(row)];
      } catch (error) {
        if (error instanceof UnknownDataKeyError) throw error;
        reportEditedRow(this.#options.log, table, row.id);
        return [];
      }
    });
  }
}

class SubjectHits {
  readonly #tools: WatchedSubjectsOptions;

  constructor(tools: WatchedSubjectsOptions) {
    this.#tools = tools;
  }

  /** Best first. */
  async list(subject: SubjectRow): Promise<StoredHit[]> {
    const { store, sealer } = this.#tools;
    const hits: StoredHit[] = [];
    for (const page of inGroups(await store.hitsOf([subject.id]), PAGE)) {
      hits.push(...page.map((row) => openHit(sealer, subject, row)));
      await nextTurn();
    }
    return hits.sort((a, b) => b.match.score - a.match.score || (a.match.id < b.match.id ? -1 : 1));
  }

  /** `authorize` runs in the transaction of the decision, and prevents it by throwing. */
  decide(
    owner: Owner,
    id: string,
    hitId: string,
    { entryHash, decision: verdict, reason, author }: DecideHitRequest,
    authorize?: InTransaction,
    within?: Transaction,
  ): Promise<StoredHit> {
    const decidedAt = new Date(this.#tools.clock.now()).toISOString();
    const decision: HitDecision = { decision: verdict, reason, author, decidedAt };
    return this.#change({ owner, id, hitId, within }, async (trx, subject, hit) => {
      if (hit.entryHash !== entryHash) {
        throw new AppError('entry_changed', 'The listed entry has changed; read the hit again, then decide.');
      }
      await authorize?.(trx);
      await insertRecord(trx, this.#tools, subject, 'decision', { hitId, entityId: hit.match.id, entryHash, decision });
      await this.#tools.cases.hitDecided(trx, hitId, toHitFacts(hit), decision);
      return { ...hit, decided: { decision, score: hit.match.score } };
    });
  }

  /** Withdraws a decision, which opens the hit again. Both stay in the history. */
  withdraw(
    owner: Owner,
    id: string,
    hitId: string,
    { reason, author }: WithdrawDecisionRequest,
    writeAudit?: InTransaction,
    within?: Transaction,
  ): Promise<StoredHit> {
    return this.#change({ owner, id, hitId, within }, async (trx, subject, { decided, ...open }) => {
      if (!decided) throw new AppError('not_found', 'Nothing is decided on this hit; the decision may have lapsed.');
      const { entryHash, match } = open;
      const kept = { hitId, entityId: match.id, entryHash, decision: decided.decision, reason, author };
      await insertRecord(trx, this.#tools, subject, 'withdrawal', kept);
      await writeAudit?.(trx);
      await this.#tools.cases.openForHit(trx, subject, hitId, toHitFacts(open));
      return open;
    });
  }

  /** Writes a hit as `change` returns it, with the subject locked against a new version of the list. */
  async #change(
    { owner, id, hitId, within }: { owner: Owner; id: string; hitId: string; within: Transaction | undefined },
    change: (trx: Transaction, subject: SubjectRow, hit: HitContent) => Promise<HitContent>,
  ): Promise<StoredHit> {
    const { database, store, sealer } = this.#tools;
    const subject = isUuid(id) ? await store.findOwn(owner, id, within) : undefined;
    if (!subject) throw noSubject('id');
    // Throws if the row was edited in the database.
    openSubject(sealer, subject);
    const write = async (trx: Transaction) => {
      const [locked] = await store.holdAll(trx, [subject.id]);
      const found = locked && (await store.hitsOf([locked.id], trx)).find((hit) => hit.id === hitId);
      if (!found) throw new AppError('not_found', 'There is no hit with this id; it may be gone from the list.');
      const { row, ...hit } = openHit(sealer, subject, found);
      const changed = await change(trx, subject, hit);
      const sealed = sealer.sealJson(changed, tables.watched_hits.places.sealed(row, subject));
      await store.writeHit(trx, { ...row, is_open: changed.decided ? 0 : 1, sealed });
      return { ...changed, row };
    };
    return within ? write(within) : database.transact(write);
  }
}

function noSubject(by: 'id' | 'reference'): AppError {
  return new AppError('not_found', `There is no watched subject with this ${by}.`);
}

/** Names a subject and its hits as the resource of idempotent replies. */
export function repliesAbout(subjectId: string): string {
  return `watched-subjects/${subjectId}`;
}

// Hits of watched subjects: listed for their customer, decided on, and opened again.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DecideHitRequest, HitDecision, WithdrawDecisionRequest } from '@limen/contract';
import type { Owner } from '../../platform/api-keys/owner.ts';
import { inGroups } from '../../platform/base/batches.ts';
import { AppError } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import type { ReviewCases } from '../../review/cases.ts';
import { tables } from '../tables.ts';
import { type HitContent, openHit, openSubject, type StoredHit, type SubjectRow } from './contents.ts';
import { factsOf, insertRecord } from './record-outcome.ts';
import type { WatchStore } from './store.ts';

/** Hits that are opened at a time, which takes some milliseconds. */
const PAGE = 100;

export interface HitTools extends Pick<Context, 'database' | 'sealer' | 'clock' | 'ids'> {
  store: WatchStore;
  cases: Pick<ReviewCases, 'openForHit' | 'hitDecided'>;
}

export class SubjectHits {
  readonly #tools: HitTools;

  constructor(tools: HitTools) {
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
        throw new AppError('entry_changed', 'The listed entry has changed since; read the hit again and decide anew.');
      }
      await authorize?.(trx);
      await insertRecord(trx, this.#tools, subject, 'decision', { hitId, entityId: hit.match.id, entryHash, decision });
      await this.#tools.cases.hitDecided(trx, hitId, factsOf(hit), decision);
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
      await this.#tools.cases.openForHit(trx, subject, hitId, factsOf(open));
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

export function noSubject(by: 'id' | 'reference'): AppError {
  return new AppError('not_found', `There is no watched subject with this ${by}.`);
}

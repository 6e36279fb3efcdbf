// Writes what was found for a subject: hits, alerts and webhooks in the caller's transaction, so that none is lost or doubled.
import type { HitDecision } from '@limen/contract';
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { NewWebhook, Webhooks } from '../webhooks/webhooks.ts';
import {
  type AlertContent,
  alertPlace,
  type Finding,
  type HitContent,
  type HitRow,
  hitPlace,
  type SubjectContent,
  type SubjectRow,
} from './contents.ts';
import type { HitChange } from './diff-hits.ts';
import type { WatchStore } from './store.ts';

/** Longer than a webhook is tried for, and time to ask for it again. */
const BODY_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export interface RecordTools {
  store: WatchStore;
  sealer: Sealer;
  webhooks: Pick<Webhooks, 'enqueue'>;
  clock: Clock;
  ids: Ids;
  /** The version of the list in which an entity is no longer found. */
  removedIn?: string | undefined;
}

export interface StoredHit extends HitContent {
  row: HitRow;
}

interface WatchedRow {
  row: SubjectRow;
  content: SubjectContent;
}

export function digestEntity(sealer: Pick<Sealer, 'digest'>, entityId: string): Buffer {
  return sealer.digest('watched_hits/entity', entityId);
}

export function openHits(sealer: Sealer, subject: SubjectRow, rows: readonly HitRow[]): StoredHit[] {
  return rows.map((row) => ({ ...(sealer.openJson(row.sealed, hitPlace(row.id, subject)) as HitContent), row }));
}

export async function recordChange(
  trx: Transaction,
  { row: subject, content }: WatchedRow,
  change: HitChange<StoredHit>,
  { store, sealer, webhooks, clock, ids, removedIn }: RecordTools,
): Promise<void> {
  const now = clock.now();
  switch (change.change) {
    case 'new': {
      const hitId = ids.random();
      const row = { id: hitId, found_at: now, changed_at: now };
      await writeHit(row, change.found);
      return tell('new', hitId, change.found);
    }
    case 'changed': {
      const { row, decision, ...before } = change.stored;
      // What was decided on the entry as it was says nothing about the one that is there now.
      await writeHit({ ...row, changed_at: now }, change.found);
      return tell('changed', row.id, change.found, { before, lapsed: decision });
    }
    case 'refreshed': {
      const { row, decision } = change.stored;
      return writeHit(row, { ...change.found, ...(decision && { decision }) });
    }
    case 'removed': {
      const { row, decision, ...before } = change.stored;
      await store.removeHit(trx, row);
      return tell('removed', row.id, { ...before, listVersion: removedIn ?? before.listVersion }, { lapsed: decision });
    }
  }

  function writeHit(row: Pick<HitRow, 'id' | 'found_at' | 'changed_at'>, hit: HitContent): Promise<void> {
    const { id, found_at, changed_at } = row;
    const entity_digest = digestEntity(sealer, hit.match.id);
    const sealed = sealer.sealJson(hit, hitPlace(id, subject));
    return store.writeHit(trx, {
      ...{ id, subject_id: subject.id, entity_digest, found_at, changed_at },
      ...{ is_open: hit.decision ? 0 : 1, sealed },
    });
  }

  async function tell(
    kind: 'new' | 'changed' | 'removed',
    hitId: string,
    { list, listVersion, entryHash, engineVersion, match }: Finding,
    { before, lapsed }: { before?: Finding; lapsed?: HitDecision | undefined } = {},
  ): Promise<void> {
    const { customer, world } = subject;
    const { reference, dataset, callback } = content;
    const bound = { id: ids.sortable(), customer, world, subject_id: subject.id, kind };
    const told: AlertContent = {
      reference,
      hitId,
      dataset,
      list,
      listVersion,
      entryHash,
      engineVersion,
      match,
      ...(before && {
        before: { score: before.match.score, entryHash: before.entryHash, listVersion: before.listVersion },
      }),
      ...(lapsed && { lapsed }),
    };
    await store.insertAlert(trx, { ...bound, created_at: now, sealed: sealer.sealJson(told, alertPlace(bound)) });
    if (!callback) return;
    const body = { id: bound.id, subjectId: subject.id, ...told, at: new Date(now).toISOString() };
    const envelope = {
      owner: ownerFrom(subject),
      apiKeyId: subject.api_key_id,
      sessionId: subject.id,
      ...callback,
      purgeAt: now + BODY_KEPT_MS,
    };
    const event = `screening.hit.${kind}` as const;
    // The compiler does not see that the event outside and the one inside are the same.
    await webhooks.enqueue(trx, { ...envelope, event, body: { event, ...body } } as NewWebhook);
  }
}

// Writes the outcome for a subject: hits, alerts and webhooks in the caller's transaction, so that
// none is lost or duplicated.
import type { HitDecision } from '@limen/contract';
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import type { Context } from '../../platform/context.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { HitFacts } from '../../review/case.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { NewWebhook, Webhooks } from '../../webhooks/outbox.ts';
import { ALERT_BODY_TTL_MS } from '../limits.ts';
import { tables } from '../tables.ts';
import type {
  AlertContent,
  AlertRecord,
  AlertRow,
  HitContent,
  HitFinding,
  HitRow,
  OpenedSubject,
  StoredHit,
  SubjectRow,
} from './contents.ts';
import { compareFindings, type HitChange, hitKey } from './diff-hits.ts';
import type { HitRemoval } from './removal-causes.ts';
import type { WatchStore } from './store.ts';

export interface RecordTools extends Pick<Context, 'sealer' | 'clock' | 'ids'> {
  store: WatchStore;
  webhooks: Pick<Webhooks, 'enqueue'>;
  cases: Pick<ReviewCases, 'openForHit' | 'hitGone'>;
}

export function digestEntity(sealer: Pick<Sealer, 'digest'>, key: string): Buffer {
  return sealer.digest('watched_hits/entity', key);
}

/** Seals a record of the subject's history. Returns its id. */
export async function insertRecord(
  trx: Transaction,
  { store, sealer, clock, ids }: Pick<RecordTools, 'store' | 'sealer' | 'clock' | 'ids'>,
  { id: subject_id, customer, world }: SubjectRow,
  kind: AlertRow['kind'],
  content: AlertRecord['content'],
): Promise<string> {
  const bound = { id: ids.sortable(), customer, world, subject_id, kind };
  const sealed = sealer.sealJson(content, tables.screening_alerts.places.sealed(bound));
  await store.insertAlert(trx, { ...bound, created_at: clock.now(), sealed });
  return bound.id;
}

/** `removal`: the cause of a removal, and the version of the list without the entity. */
export async function recordChange(
  trx: Transaction,
  { row: subject, content }: OpenedSubject,
  change: HitChange<StoredHit>,
  tools: RecordTools,
  { removal, moreHits }: { removal: (HitRemoval & { version: string | undefined }) | undefined; moreHits: boolean },
): Promise<void> {
  const { store, sealer, webhooks, cases, clock, ids } = tools;
  const now = clock.now();
  switch (change.change) {
    case 'new': {
      const id = ids.random();
      await writeHit({ id, found_at: now, changed_at: now }, change.found);
      await cases.openForHit(trx, subject, id, toHitFacts(change.found));
      return alert('new', id, change.found);
    }
    case 'changed': {
      // Written without the decision, which lapses.
      const { stored, found, because } = change;
      const { id } = stored.row;
      await writeHit({ ...stored.row, changed_at: now }, found);
      await cases.openForHit(trx, subject, id, toHitFacts(found));
      return alert('changed', id, found, { ...since(stored, found), because }, stored.decided?.decision);
    }
    case 'refreshed':
    case 'seen': {
      const { stored, found } = change;
      await writeHit(stored.row, { ...found, ...(stored.decided && { decided: stored.decided }) });
      if (change.change === 'refreshed') await alert('refreshed', stored.row.id, found, since(stored, found));
      return;
    }
    case 'removed': {
      const { row, decided, ...before } = change.stored;
      await store.removeHit(trx, row);
      await cases.hitGone(trx, row.id);
      const { version: listVersion = before.listVersion, because, changes = [] } = removal ?? {};
      const cause = { ...(because && { because }), ...(changes.length > 0 && { changes }) };
      return alert('removed', row.id, { ...before, listVersion }, cause, decided?.decision);
    }
  }

  function writeHit({ id, found_at, changed_at }: Pick<HitRow, 'id' | 'found_at' | 'changed_at'>, hit: HitContent) {
    const entity_digest = digestEntity(sealer, hitKey(hit));
    const sealed = sealer.sealJson(hit, tables.watched_hits.places.sealed({ id }, subject));
    const is_open = hit.decided ? 0 : 1;
    return store.writeHit(trx, { id, subject_id: subject.id, entity_digest, found_at, changed_at, is_open, sealed });
  }

  async function alert(
    kind: 'new' | 'changed' | 'refreshed' | 'removed',
    hitId: string,
    { list, listVersion, entryHash, engineVersion, match }: HitFinding,
    more: Pick<AlertContent, 'before' | 'because' | 'changes' | 'others'> = {},
    lapsed?: HitDecision,
  ): Promise<void> {
    const { reference, dataset, callback } = content;
    const found: AlertContent = {
      ...{ reference, hitId, dataset, list, listVersion, entryHash, engineVersion, match, ...more },
      ...(lapsed && { lapsed }),
      ...(moreHits && { moreHits }),
    };
    const id = await insertRecord(trx, tools, subject, kind, found);
    if (!callback || kind === 'refreshed') return;
    const event = `screening.hit.${kind}` as const;
    // The compiler does not see that both events are the same.
    await webhooks.enqueue(trx, {
      owner: ownerFrom(subject),
      apiKeyId: subject.api_key_id,
      sessionId: subject.id,
      ...callback,
      purgeAt: now + ALERT_BODY_TTL_MS,
      event,
      body: { event, id, subjectId: subject.id, ...found, at: new Date(now).toISOString() },
    } as NewWebhook);
  }
}

export function toHitFacts({ list, match: { caption, score } }: Pick<HitFinding, 'list' | 'match'>): HitFacts {
  return { caption, list, score };
}

function since(stored: HitContent, found: HitFinding): Pick<AlertContent, 'before' | 'changes' | 'others'> {
  const { match, entryHash, listVersion, engineVersion } = stored;
  const before = { score: match.score, entryHash, listVersion, engineVersion };
  return { before, ...compareFindings(stored, found) };
}

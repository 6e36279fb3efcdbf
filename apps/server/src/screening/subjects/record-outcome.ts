// Writes what was found for a subject: hits, alerts and webhooks in the caller's transaction, so that none is lost or doubled.
import type { HitDecision } from '@limen/contract';
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/base/clock.ts';
import type { Ids } from '../../platform/base/ids.ts';
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
import { compareFindings, type HitChange, keyOf } from './diff-hits.ts';
import type { HitRemoval } from './removal-causes.ts';
import type { WatchStore } from './store.ts';

export interface RecordTools {
  store: WatchStore;
  sealer: Sealer;
  webhooks: Pick<Webhooks, 'enqueue'>;
  cases: Pick<ReviewCases, 'openForHit' | 'hitGone'>;
  clock: Clock;
  ids: Ids;
}

/** What a change was found in. */
interface Circumstances {
  /** The version of the list in which an entity is no longer found, and why it is not. */
  removal?: (HitRemoval & { version: string | undefined }) | undefined;
  /** Whether more match than are kept. */
  moreHits: boolean;
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

export async function recordChange(
  trx: Transaction,
  { row: subject, content }: OpenedSubject,
  change: HitChange<StoredHit>,
  tools: RecordTools,
  { removal, moreHits }: Circumstances,
): Promise<void> {
  const { store, sealer, webhooks, cases, clock, ids } = tools;
  const now = clock.now();
  switch (change.change) {
    case 'new': {
      const id = ids.random();
      await writeHit({ id, found_at: now, changed_at: now }, change.found);
      await cases.openForHit(trx, subject, id, factsOf(change.found));
      return tell('new', id, change.found);
    }
    case 'changed': {
      const { stored, found, because } = change;
      // What was decided on the hit as it was says nothing about the one that is there now.
      await writeHit({ ...stored.row, changed_at: now }, found);
      await cases.openForHit(trx, subject, stored.row.id, factsOf(found));
      return tell('changed', stored.row.id, found, {
        ...since(stored, found),
        because,
        lapsed: stored.decided?.decision,
      });
    }
    case 'refreshed':
    case 'seen': {
      const { stored, found } = change;
      // Nothing that was decided on the hit has lapsed.
      await writeHit(stored.row, { ...found, ...(stored.decided && { decided: stored.decided }) });
      if (change.change === 'refreshed') await tell('refreshed', stored.row.id, found, since(stored, found));
      return;
    }
    case 'removed': {
      const { row, decided, ...before } = change.stored;
      await store.removeHit(trx, row);
      await cases.hitGone(trx, row.id);
      const listVersion = removal?.version ?? before.listVersion;
      const cause = removal && {
        because: removal.because,
        ...(removal.changes.length > 0 && { changes: removal.changes }),
      };
      return tell('removed', row.id, { ...before, listVersion }, { lapsed: decided?.decision, ...cause });
    }
  }

  function writeHit(row: Pick<HitRow, 'id' | 'found_at' | 'changed_at'>, hit: HitContent): Promise<void> {
    const { id, found_at, changed_at } = row;
    const entity_digest = digestEntity(sealer, keyOf(hit));
    const sealed = sealer.sealJson(hit, tables.watched_hits.places.sealed({ id }, subject));
    return store.writeHit(trx, {
      ...{ id, subject_id: subject.id, entity_digest, found_at, changed_at },
      ...{ is_open: hit.decided ? 0 : 1, sealed },
    });
  }

  async function tell(
    kind: 'new' | 'changed' | 'refreshed' | 'removed',
    hitId: string,
    { list, listVersion, entryHash, engineVersion, match }: HitFinding,
    {
      lapsed,
      ...more
    }: Pick<AlertContent, 'before' | 'because' | 'changes' | 'others'> & { lapsed?: HitDecision | undefined } = {},
  ): Promise<void> {
    const { reference, dataset, callback } = content;
    const told: AlertContent = {
      ...{ reference, hitId, dataset, list, listVersion, entryHash, engineVersion, match, ...more },
      ...(lapsed && { lapsed }),
      ...(moreHits && { moreHits }),
    };
    const id = await insertRecord(trx, tools, subject, kind, told);
    if (!callback || kind === 'refreshed') return;
    const body = { id, subjectId: subject.id, ...told, at: new Date(now).toISOString() };
    const envelope = {
      owner: ownerFrom(subject),
      apiKeyId: subject.api_key_id,
      sessionId: subject.id,
      ...callback,
      purgeAt: now + ALERT_BODY_TTL_MS,
    };
    const event = `screening.hit.${kind}` as const;
    // The compiler does not see that the event outside and the one inside are the same.
    await webhooks.enqueue(trx, { ...envelope, event, body: { event, ...body } } as NewWebhook);
  }
}

export function factsOf({ list, match: { caption, score } }: Pick<HitFinding, 'list' | 'match'>): HitFacts {
  return { caption, list, score };
}

function since(stored: HitContent, found: HitFinding): Pick<AlertContent, 'before' | 'changes' | 'others'> {
  const { match, entryHash, listVersion, engineVersion } = stored;
  const before = { score: match.score, entryHash, listVersion, engineVersion };
  return { before, ...compareFindings(stored, found) };
}

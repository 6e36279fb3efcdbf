// Watched subjects, alerts and decisions as operators see them: what happened and when, and not to whom until it is asked for.
import type { HitDecision } from '@limen/contract';
import type { BrowsedAlert, BrowsedSubject, StandingDecision } from '../subjects/browse.ts';
import type { StoredHit, SubjectContent } from '../subjects/contents.ts';
import type { AlertRowView, ClearedView, HistoryView, HitView, SubjectRowView, SubjectView } from './views.ts';

export function presentSubjectRow({ row, hitCount }: BrowsedSubject): SubjectRowView {
  return {
    id: row.id,
    customer: row.customer,
    world: row.world,
    state: row.state,
    hits: row.hit_state,
    hitCount,
    moreHits: Number(row.more_hits) === 1,
    createdAt: row.created_at,
    screenedAt: row.screened_at,
  };
}

export function presentSubject(
  browsed: BrowsedSubject,
  hits: readonly StoredHit[],
  history: { history: HistoryView[]; next?: string },
): Omit<SubjectView, 'customerName'> {
  const content = browsed.content();
  return {
    ...presentSubjectRow(browsed),
    ...history,
    dataset: content?.dataset ?? null,
    scoreThreshold: content?.scoreThreshold ?? null,
    hasCallback: content?.callback !== undefined,
    found: hits.map(presentHit),
    isUnreadable: content === undefined,
  };
}

function presentHit({ row, list, listVersion, engineVersion, match, decided }: StoredHit): HitView {
  return {
    id: row.id,
    list,
    listVersion,
    engineVersion,
    score: match.score,
    foundAt: row.found_at,
    changedAt: row.changed_at,
    decision: decided ? made(decided.decision) : null,
  };
}

/** Without the reason, which may tell who it is about. */
function made({ decision, author, decidedAt }: HitDecision): Pick<HitDecision, 'decision' | 'author' | 'decidedAt'> {
  return { decision, author, decidedAt };
}

export function presentHistory({ row, record }: BrowsedAlert): HistoryView {
  const shown: HistoryView = {
    id: row.id,
    kind: row.kind,
    at: row.created_at,
    hitId: record && 'hitId' in record.content ? record.content.hitId : null,
    list: null,
    listVersion: null,
    score: null,
    before: null,
    because: [],
    decision: null,
    withdrawnBy: null,
    fields: [],
  };
  if (!record) return shown;
  const { content } = record;
  if ('decision' in content) {
    return { ...shown, decision: made(content.decision), withdrawnBy: 'author' in content ? content.author : null };
  }
  // Which fields, and not what they were: that may tell who it is.
  if (!('match' in content)) return { ...shown, fields: content.changes.map(({ field }) => field) };
  return {
    ...shown,
    list: content.list,
    listVersion: content.listVersion,
    score: content.match.score,
    before: content.before?.score ?? null,
    because: content.because ?? [],
    decision: content.lapsed ? made(content.lapsed) : null,
  };
}

export function presentAlert(alert: BrowsedAlert, isRevealed: boolean): AlertRowView {
  const { row, record } = alert;
  const content = record?.content;
  return {
    ...presentHistory(alert),
    subjectId: row.subject_id,
    customer: row.customer,
    world: row.world,
    ...(isRevealed &&
      content &&
      'match' in content && {
        who: { reference: content.reference, listed: content.match.caption, matchedName: content.match.matchedName },
      }),
  };
}

export function presentCleared({ id, subject, hitId, hit, decision }: StandingDecision): ClearedView {
  return {
    id,
    subjectId: subject.id,
    hitId,
    customer: subject.customer,
    world: subject.world,
    list: hit.list,
    score: hit.match.score,
    author: decision.author,
    decidedAt: Date.parse(decision.decidedAt),
  };
}

/** As the customer wrote it, in one line. */
export function nameOfSubject({ subject }: SubjectContent): string {
  const { name, firstName, lastName, aliases = [], identifiers = [] } = subject;
  const person = [firstName, lastName].filter(Boolean).join(' ');
  return name ?? (person || (aliases[0] ?? identifiers[0]?.value ?? ''));
}

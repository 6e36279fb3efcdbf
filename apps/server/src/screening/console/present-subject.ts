// Watched subjects, alerts and decisions as operators see them. They name no one unless an operator asks for it.
import type { HitDecision } from '@limen/contract';
import type { BrowsedAlert, BrowsedSubject, StandingDecision } from '../subjects/browse.ts';
import type { StoredHit, SubjectContent } from '../subjects/contents.ts';
import type { AlertRowView, ClearedView, HistoryPageView, HistoryView, HitView, SubjectRowView } from './views.ts';

export function presentSubjectRow({ row, hitCount }: BrowsedSubject): SubjectRowView {
  const { id, customer, world, state, hit_state: hits, created_at: createdAt, screened_at: screenedAt } = row;
  const moreHits = Number(row.more_hits) === 1;
  return { id, customer, world, state, hits, hitCount, moreHits, createdAt, screenedAt };
}

export function presentSubject(browsed: BrowsedSubject, hits: readonly StoredHit[], history: HistoryPageView) {
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
  const { id, found_at: foundAt, changed_at: changedAt } = row;
  const decision = decided ? presentDecision(decided.decision) : null;
  return { id, list, listVersion, engineVersion, score: match.score, foundAt, changedAt, decision };
}

/** Leaves out the reason, which may identify the subject. */
function presentDecision({
  decision,
  author,
  decidedAt,
}: HitDecision): Pick<HitDecision, 'decision' | 'author' | 'decidedAt'> {
  return { decision, author, decidedAt };
}

export function presentHistory({ row, record }: BrowsedAlert): HistoryView {
  const content = record?.content;
  const alert = content && 'match' in content ? content : undefined;
  const decided = content && 'decision' in content ? content : undefined;
  const decision = decided?.decision ?? alert?.lapsed;
  const changes = content && !('match' in content) && !('decision' in content) ? content.changes : [];
  return {
    id: row.id,
    kind: row.kind,
    at: row.created_at,
    hitId: (alert ?? decided)?.hitId ?? null,
    list: alert?.list ?? null,
    listVersion: alert?.listVersion ?? null,
    score: alert?.match.score ?? null,
    before: alert?.before?.score ?? null,
    because: alert?.because ?? [],
    decision: decision ? presentDecision(decision) : null,
    withdrawnBy: content && 'author' in content ? content.author : null,
    // Values of the fields may identify the subject.
    fields: changes.map(({ field }) => field),
  };
}

export function presentAlert(alert: BrowsedAlert, isRevealed: boolean): AlertRowView {
  const { subject_id: subjectId, customer, world } = alert.row;
  const view = { ...presentHistory(alert), subjectId, customer, world };
  const content = alert.record?.content;
  if (!isRevealed || !content || !('match' in content)) return view;
  const { caption: listed, matchedName } = content.match;
  return { ...view, who: { reference: content.reference, listed, matchedName } };
}

export function presentCleared({ id, subject, hitId, hit, decision }: StandingDecision): ClearedView {
  const { id: subjectId, customer, world } = subject;
  const { list, match } = hit;
  const { author, decidedAt } = decision;
  return { id, subjectId, hitId, customer, world, list, score: match.score, author, decidedAt: Date.parse(decidedAt) };
}

export function formatSubjectName({ subject }: SubjectContent): string {
  const { name, firstName, lastName, aliases, identifiers } = subject;
  const person = [firstName, lastName].filter(Boolean).join(' ');
  return name ?? (person || (aliases?.[0] ?? identifiers?.[0]?.value ?? ''));
}

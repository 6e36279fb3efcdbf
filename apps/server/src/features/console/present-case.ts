// A case as reviewers see it: why it is there and what was said about it, and nothing personal until it is asked for.

import { type SessionFacts, VERDICTS } from '../../core/review/case.ts';
import type { Note } from '../../core/review/case-files.ts';
import type { Evidence } from '../../core/review/evidence.ts';
import type { FoundCase } from '../../core/review/review-desk.ts';
import { timelineOf } from '../../core/review/session-timeline.ts';
import { explainFlags } from '../../core/risk/explain-flags.ts';
import type { StoredHit } from '../../core/watching/record-outcome.ts';
import type { OperatorId } from '../../platform/ids.ts';
import type { KeyNames } from './present-key.ts';
import type { CaseRowView, CaseView, EntityView, EvidenceView, NoteView } from './review-views.ts';

interface Seen {
  /** By whom. */
  operatorId: OperatorId;
  now: number;
  keys: KeyNames;
  /** Operators by id. */
  names: ReadonlyMap<string, string>;
}

export function presentCaseRow({ row, content }: FoundCase, { operatorId, now, keys, names }: Seen): CaseRowView {
  const { assignee_id: assignee } = row;
  const { session, hit, decided } = content ?? {};
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    world: row.world,
    key: { id: row.api_key_id, label: keys.labelOf(row.api_key_id) },
    customer: keys.customerOf(row.customer),
    about: row.about,
    createdAt: row.created_at,
    dueAt: row.due_at,
    isOverdue: row.state !== 'decided' && row.due_at < now,
    assignee:
      assignee === null
        ? null
        : { id: assignee, name: names.get(assignee) ?? 'somebody who is gone', isMe: assignee === operatorId },
    session: session
      ? {
          operation: session.operation,
          outcome: session.outcome,
          score: session.score,
          level: session.level,
          flags: session.flags,
        }
      : null,
    hit: hit ?? null,
    verdict: decided?.verdict ?? null,
    isUnreadable: content === undefined,
  };
}

interface CaseDetails {
  eyes: 1 | 2;
  notes: readonly Note[];
  hasSession: boolean;
  /** Undefined for a hit. */
  evidence: Evidence | undefined;
  hit: StoredHit | undefined;
}

export function presentCase(
  found: FoundCase,
  seen: Seen,
  { eyes, notes, hasSession, evidence, hit }: CaseDetails,
): CaseView {
  const { proposed, decided, session } = found.content ?? {};
  return {
    ...presentCaseRow(found, seen),
    verdicts: VERDICTS[found.row.kind],
    eyes,
    proposed: proposed
      ? {
          verdict: proposed.verdict,
          reason: proposed.reason,
          by: proposed.by,
          isMine: proposed.operatorId === seen.operatorId,
        }
      : null,
    decided: decided ?? null,
    explanations: explainFlags([...(session?.flags ?? [])]),
    hasSession,
    evidence: session && evidence ? presentEvidence(session, evidence) : null,
    entity: hit ? entityOf(hit) : null,
    notes: notes.map(presentNote),
    purgeAt: found.row.purge_at,
  };
}

/** Only completed sessions have a case. */
function presentEvidence(facts: SessionFacts, evidence: Evidence): EvidenceView {
  const { signals = null, requirements = [], errors = [], createdAt, endedAt } = facts;
  const timed = createdAt !== undefined && endedAt !== undefined && { createdAt, endedAt };
  const timeline = timed ? timelineOf({ ...timed, state: 'completed', requirements }, evidence) : [];
  return { signals, requirements, errors, timeline };
}

/** The explanation quotes the subject. */
function entityOf({ list, listVersion, entryHash, match: { explanation: _, ...match } }: StoredHit): EntityView {
  return { list, listVersion, entryHash, match };
}

function presentNote({ act, at, by, text, verdict }: Note): NoteView {
  return { act, at, by: by ?? null, text: text ?? null, verdict: verdict ?? null };
}

// Presents a case to reviewers: why it is open and what was said about it. Personal values are shown only on request.

import type { KeyNames } from '../../console/door/key-names.ts';
import type { OperatorId } from '../../platform/base/ids.ts';
import { VERDICTS } from '../case.ts';
import type { FoundCase } from '../desk.ts';
import type { Note } from '../notes.ts';
import type { CaseRowView, CaseView, NoteView } from './views.ts';

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

/** Parts of a case that its own capability fills in. */
type CaseDetails = Pick<CaseView, 'explanations' | 'evidence' | 'hasSession' | 'entity'>;

/** Describes cases of one kind; leaves out what such a case does not have. */
export type DescribeCase = (found: FoundCase) => Promise<Partial<CaseDetails>>;

const NO_DETAILS: CaseDetails = { explanations: [], evidence: null, hasSession: false, entity: null };

export function presentCase(
  found: FoundCase,
  seen: Seen,
  { eyes, notes, details }: { eyes: 1 | 2; notes: readonly Note[]; details: Partial<CaseDetails> },
): CaseView {
  const { proposed, decided } = found.content ?? {};
  return {
    ...presentCaseRow(found, seen),
    ...NO_DETAILS,
    ...details,
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
    notes: notes.map(presentNote),
    purgeAt: found.row.purge_at,
  };
}

function presentNote({ act, at, by, text, verdict }: Note): NoteView {
  return { act, at, by: by ?? null, text: text ?? null, verdict: verdict ?? null };
}

// Presents a case to reviewers. Personal values are shown only on request.
import type { KeyNames } from '../../console/door/key-names.ts';
import type { OperatorId } from '../../platform/base/ids.ts';
import { type CaseContent, type SessionFacts, VERDICTS } from '../case.ts';
import type { ReviewCase } from '../desk.ts';
import type { ReviewNote } from '../notes.ts';
import type { CaseRowView, CaseView, NoteView } from './views.ts';

interface ReaderScope {
  operatorId: OperatorId;
  now: number;
  keys: KeyNames;
  names: ReadonlyMap<string, string>;
}

export function presentCaseRow(
  { row, content }: ReviewCase,
  { operatorId, now, keys, names }: ReaderScope,
): CaseRowView {
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
        : { id: assignee, name: names.get(assignee) ?? 'a removed operator', isMe: assignee === operatorId },
    session: session ? presentSession(session) : null,
    hit: hit ?? null,
    verdict: decided?.verdict ?? null,
    isUnreadable: content === undefined,
  };
}

type CaseDetails = Pick<CaseView, 'explanations' | 'evidence' | 'hasSession' | 'entity'>;

export type DescribeCase = (found: ReviewCase) => Promise<Partial<CaseDetails>>;

export function presentCase(
  found: ReviewCase,
  seen: ReaderScope,
  { eyes, notes, details }: { eyes: 1 | 2; notes: readonly ReviewNote[]; details: Partial<CaseDetails> },
): CaseView {
  const { proposed, decided } = found.content ?? {};
  return {
    ...presentCaseRow(found, seen),
    ...{ explanations: [], evidence: null, hasSession: false, entity: null, ...details },
    verdicts: VERDICTS[found.row.kind],
    eyes,
    proposed: proposed ? presentOpinion(proposed, seen.operatorId) : null,
    decided: decided ?? null,
    notes: notes.map(presentNote),
    purgeAt: found.row.purge_at,
  };
}

function presentSession({ operation, outcome, score, level, flags }: SessionFacts): CaseRowView['session'] {
  return { operation, outcome, score, level, flags };
}

function presentOpinion(proposed: NonNullable<CaseContent['proposed']>, viewer: OperatorId): CaseView['proposed'] {
  const { verdict, reason, by, operatorId } = proposed;
  return { verdict, reason, by, isMine: operatorId === viewer };
}

function presentNote({ act, at, by, text, verdict }: ReviewNote): NoteView {
  return { act, at, by: by ?? null, text: text ?? null, verdict: verdict ?? null };
}

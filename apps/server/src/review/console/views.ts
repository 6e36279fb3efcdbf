// Views of cases. They are types only, because the console's page imports them.
import type { ScreeningSubject, SubjectMatch } from '@limen/contract';
import type { World } from '../../platform/base/world.ts';
import type { CaseKind, CaseState, FlagExplanation, NoteAct, SessionFacts, TimelineEntry, Verdict } from '../case.ts';

export type { CaseKind, CaseState, NoteAct, Verdict };

export interface CaseFilters {
  /** Without a state, all cases that wait */
  state?: CaseState;
  kind?: CaseKind;
  world?: World;
  key?: string;
  assignee?: 'me' | 'nobody';
  overdue?: boolean;
}

export interface CaseRowView {
  id: string;
  kind: CaseKind;
  state: CaseState;
  world: World;
  key: { id: string; label: string | null };
  customer: string;
  about: string;
  createdAt: number;
  dueAt: number;
  isOverdue: boolean;
  assignee: { id: string; name: string; isMe: boolean } | null;
  session: { operation: string; outcome: string; score: number; level: string; flags: readonly string[] } | null;
  hit: { caption: string; list: string; score: number } | null;
  verdict: Verdict | null;
  /** True if the row was edited in the database */
  isUnreadable: boolean;
}

export interface QueueCounts {
  open: number;
  proposed: number;
  overdue: number;
  /** Limit of the counting: a count above it stands for any number above it */
  upTo: number;
}

export interface CasePageView {
  version: string;
  counts: QueueCounts;
  /** Absent if the caller already has this version */
  cases?: CaseRowView[];
  next?: string;
}

export interface NoteView {
  act: NoteAct;
  at: number;
  by: string | null;
  text: string | null;
  verdict: Verdict | null;
}

export interface CaseView extends CaseRowView {
  verdicts: readonly Verdict[];
  eyes: 1 | 2;
  proposed: { verdict: Verdict; reason: string; by: string; isMine: boolean } | null;
  decided: { verdict: Verdict; reason: string; by: string; at: number } | null;
  explanations: FlagExplanation[];
  /** Course of the session; null for a hit */
  evidence: EvidenceView | null;
  /** False if the session itself was deleted */
  hasSession: boolean;
  /** Current listed entity of a hit. Data of the subject is revealed separately. */
  entity: EntityView | null;
  notes: NoteView[];
  /** Time of deletion; null while the case waits with its hit */
  purgeAt: number | null;
}

export interface EvidenceView {
  signals: SessionFacts['signals'];
  requirements: readonly string[];
  errors: readonly { code: number; message: string }[];
  timeline: TimelineEntry[];
}

export interface EntityView {
  list: string;
  listVersion: string;
  /** Sent back with the decision, which is refused if the entry has changed */
  entryHash: string;
  match: Omit<SubjectMatch, 'explanation'>;
}

/** The host's own name for the session. Each view is audited. */
export interface CaseTransactionView {
  transactionId: string | null;
}

/** Data of the subject. Each view is audited. */
export interface RevealedSubjectView {
  reference: string;
  subject: Omit<ScreeningSubject, 'id'>;
  explanation: SubjectMatch['explanation'];
}

export interface ReviewerView {
  id: string;
  name: string;
  isMe: boolean;
}

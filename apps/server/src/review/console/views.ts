// Views of cases. Types only: the console's page imports them.
import type { ScreeningSubject, SubjectMatch } from '@limen/contract';
import type { World } from '../../platform/base/world.ts';
import type { CaseKind, CaseState, FlagExplanation, NoteAct, SessionFacts, TimelineEntry, Verdict } from '../case.ts';

export type { CaseKind, CaseState, NoteAct, Verdict };

export interface CaseFilters {
  /** Without it: all that still wait. */
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
  /** The session, or the watched subject. */
  about: string;
  createdAt: number;
  dueAt: number;
  isOverdue: boolean;
  assignee: { id: string; name: string; isMe: boolean } | null;
  /** Of a session. */
  session: { operation: string; outcome: string; score: number; level: string; flags: readonly string[] } | null;
  /** Of a hit: what the list says. */
  hit: { caption: string; list: string; score: number } | null;
  verdict: Verdict | null;
  /** The row was edited in the database, and does not open. */
  isUnreadable: boolean;
}

export interface QueueCounts {
  open: number;
  proposed: number;
  overdue: number;
  /** Where the counting ends: a count above it stands for any number above it. */
  upTo: number;
}

export interface CasePageView {
  version: string;
  counts: QueueCounts;
  /** Left out where the version is the one that was asked with. */
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
  /** Decisions that fit it. */
  verdicts: readonly Verdict[];
  /** How many people must agree. */
  eyes: 1 | 2;
  proposed: { verdict: Verdict; reason: string; by: string; isMine: boolean } | null;
  decided: { verdict: Verdict; reason: string; by: string; at: number } | null;
  explanations: FlagExplanation[];
  /** How the session went, kept for as long as the case; null for a hit. */
  evidence: EvidenceView | null;
  /** The session itself is still there to look at. */
  hasSession: boolean;
  /** The listed entity as it stands now; what is known of the subject is shown when it is asked for. */
  entity: EntityView | null;
  notes: NoteView[];
  /** When it is forgotten; null while it waits for as long as its hit is there. */
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
  /** Goes back with the decision: on an entry that has changed since, none is taken. */
  entryHash: string;
  match: Omit<SubjectMatch, 'explanation'>;
}

/** What the host calls the session that a case is about; shown when it is asked for, and then the asking is on record. */
export interface CaseTransactionView {
  transactionId: string | null;
}

/** Shown when it is asked for, and then the asking is on record. */
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

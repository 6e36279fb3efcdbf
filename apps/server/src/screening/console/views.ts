// Views of lists, searches, watched subjects, alerts and decisions. Types only: the console's page imports them.
import type {
  Dataset,
  HitDecision,
  ScreeningReply,
  ScreeningSubject,
  SubjectEvidence,
  SubjectMatch,
  SubjectResult,
  SubjectSchema,
  WatchedHit,
  WatchState,
} from '@limen/contract';
import type { World } from '../../platform/base/world.ts';

export type { ScreeningReply, SubjectMatch, WatchedHit };

export interface OwnerView {
  customer: string;
  world: World;
  /** Label of one of its keys, if the customer has no name of its own. */
  label: string | null;
}

export interface ListView extends Pick<Dataset, 'name' | 'kind' | 'status'> {
  version: string | null;
  entityCount: number | null;
  people: number | null;
  builtAt: number | null;
  checkedAt: number | null;
  isStale: boolean;
  previous: { version: string; entityCount: number; builtAt: number } | null;
  problem: string | null;
  members: string[];
}

export type ScreeningView = { lists: ListView[]; owners: OwnerView[] };

/** Sent in a body, and never part of an address. */
export interface NameSearch {
  schema?: SubjectSchema;
  name?: string;
  birthDate?: string;
  country?: string;
  identifier?: string;
  dataset?: string;
  scoreThreshold?: number;
}

export interface NameSearchView {
  dataset: string;
  datasetVersion: string;
  scoreThreshold: number;
  warning: string | null;
  result: SubjectResult;
}

/** A line of the reply to a file: first the number of rows, then how many are done, and at last the whole reply. */
export type FileProgress = { total: number } | { rows: number } | { problem: string } | ScreeningReply;

export type OwnerFilter = { customer?: string; world?: World };

export interface SubjectFilters extends OwnerFilter {
  state?: WatchState;
  hits?: 'open' | 'decided' | 'none';
  /** The host's own name for the subject. Sent in a body, and never part of an address. */
  reference?: string;
}

export interface SubjectRowView {
  id: string;
  customer: string;
  world: World;
  state: WatchState;
  hits: 'open' | 'decided' | 'none';
  hitCount: number;
  moreHits: boolean;
  createdAt: number;
  screenedAt: number | null;
  /** Present after an operator asked for it. */
  who?: { name: string; reference: string };
}

export type SubjectPageView = { subjects: SubjectRowView[]; next?: string };

type DecisionSummary = Pick<HitDecision, 'decision' | 'author' | 'decidedAt'>;

export interface HitView extends Pick<WatchedHit, 'id' | 'list' | 'listVersion' | 'engineVersion'> {
  score: number;
  foundAt: number;
  changedAt: number;
  decision: DecisionSummary | null;
}

export interface HistoryView {
  id: string;
  kind: SubjectEvidence['history'][number]['kind'];
  at: number;
  hitId: string | null;
  list: string | null;
  listVersion: string | null;
  score: number | null;
  before: number | null;
  because: readonly string[];
  decision: DecisionSummary | null;
  withdrawnBy: string | null;
  /** Fields of the subject that the customer changed. */
  fields: readonly string[];
}

export type HistoryPageView = { history: HistoryView[]; next?: string };

export interface SubjectView extends SubjectRowView, HistoryPageView {
  customerName: string;
  dataset: string | null;
  scoreThreshold: number | null;
  /** Whether alerts are sent by webhook. */
  hasCallback: boolean;
  found: HitView[];
  /** The row was edited in the database, and does not open. */
  isUnreadable: boolean;
}

/** Shown on request. The request is recorded in the audit log. */
export interface RevealedWatchedView {
  reference: string;
  subject: Omit<ScreeningSubject, 'id'>;
  hits: WatchedHit[];
}

export type RevealedHistoryView = Pick<SubjectEvidence, 'history'> & { next?: string };

export type AlertFilters = OwnerFilter & { kind?: 'new' | 'changed' | 'removed' };

export interface AlertRowView extends HistoryView {
  subjectId: string;
  customer: string;
  world: World;
  who?: { reference: string; listed: string; matchedName: string };
}

export type AlertPageView = { alerts: AlertRowView[]; next?: string };

/** A decision in force that a subject is not the listed entity. */
export interface ClearedView {
  id: string;
  subjectId: string;
  hitId: string;
  customer: string;
  world: World;
  list: string;
  score: number;
  author: string;
  decidedAt: number;
  who?: { name: string; reference: string; listed: string; reason: string };
}

export type ClearedPageView = { cleared: ClearedView[]; next?: string };

/** If two operators have to agree, the first decision is a proposal. */
export type DecidedView = { state: 'open' | 'proposed' | 'decided' };

export interface NewDecisionView {
  decision: HitDecision['decision'];
  reason: string;
  /** Hash of the hit that the operator saw. */
  entryHash: string;
}

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
  /** Of a key that belongs to it, where the customer has no name of its own. */
  label: string | null;
}

export interface ListView {
  name: string;
  kind: Dataset['kind'];
  status: Dataset['status'];
  version: string | null;
  entityCount: number | null;
  people: number | null;
  /** When this version was read in. */
  builtAt: number | null;
  /** When its publisher was last asked. */
  checkedAt: number | null;
  isStale: boolean;
  /** The version before. */
  previous: { version: string; entityCount: number; builtAt: number } | null;
  problem: string | null;
  /** The lists behind a collection. */
  members: string[];
}

export interface ScreeningView {
  lists: ListView[];
  /** Whose subjects there may be. */
  owners: OwnerView[];
}

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

/** A line of the answer to a file: first how many rows there are, then how many are done, at last all that was found. */
export type FileProgress = { total: number } | { rows: number } | { problem: string } | ScreeningReply;

export interface OwnerFilter {
  customer?: string;
  world?: World;
}

export interface SubjectFilters extends OwnerFilter {
  state?: WatchState;
  hits?: 'open' | 'decided' | 'none';
  /** The host's own name for it: sent in a body, and never part of an address. */
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
  /** Once it was asked for. */
  who?: { name: string; reference: string };
}

export interface SubjectPageView {
  subjects: SubjectRowView[];
  /** For the page after it, where there is one. */
  next?: string;
}

type MadeDecision = Pick<HitDecision, 'decision' | 'author' | 'decidedAt'>;

export interface HitView extends Pick<WatchedHit, 'id' | 'list' | 'listVersion' | 'engineVersion'> {
  score: number;
  foundAt: number;
  changedAt: number;
  decision: MadeDecision | null;
}

export interface HistoryView {
  id: string;
  kind: SubjectEvidence['history'][number]['kind'];
  at: number;
  hitId: string | null;
  list: string | null;
  listVersion: string | null;
  score: number | null;
  /** What the score was until then. */
  before: number | null;
  because: readonly string[];
  decision: MadeDecision | null;
  /** Who took the decision back. */
  withdrawnBy: string | null;
  /** What the customer changed of the subject. */
  fields: readonly string[];
}

export interface HistoryPageView {
  history: HistoryView[];
  next?: string;
}

export interface SubjectView extends SubjectRowView, HistoryPageView {
  /** As it is called in every room. */
  customerName: string;
  dataset: string | null;
  scoreThreshold: number | null;
  /** Whether alerts are sent by webhook. */
  hasCallback: boolean;
  found: HitView[];
  /** The row was edited in the database, and does not open. */
  isUnreadable: boolean;
}

/** Shown when it is asked for, and then the asking is on record. */
export interface RevealedWatchedView {
  reference: string;
  subject: Omit<ScreeningSubject, 'id'>;
  hits: WatchedHit[];
}

export interface RevealedHistoryView {
  history: SubjectEvidence['history'];
  next?: string;
}

export interface AlertFilters extends OwnerFilter {
  kind?: 'new' | 'changed' | 'removed';
}

export interface AlertRowView extends HistoryView {
  subjectId: string;
  customer: string;
  world: World;
  who?: { reference: string; listed: string; matchedName: string };
}

export interface AlertPageView {
  alerts: AlertRowView[];
  next?: string;
}

/** A decision that a subject is not the listed entity, and holds. */
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

export interface ClearedPageView {
  cleared: ClearedView[];
  next?: string;
}

/** Where two have to agree, the first decision proposes. */
export interface DecidedView {
  state: 'open' | 'proposed' | 'decided';
}

export interface NewDecisionView {
  decision: HitDecision['decision'];
  reason: string;
  /** Of the hit that was looked at. */
  entryHash: string;
}

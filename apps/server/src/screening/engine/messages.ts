// Messages between the pool and its workers.
import type {
  EntityFilter,
  GluingShare,
  ListedEntity,
  ScreeningIndex,
  Subject,
  SubjectMatch,
  Topic,
} from '@limen/screening';
import type { CsvLayout } from '../csv/layout.ts';

/** Loaded version of a list, or an index of subjects. Its id is never reused. */
export interface Edition {
  readonly id: number;
  readonly index: ScreeningIndex;
}

export interface SearchPlan {
  editions: readonly number[];
  topic: Topic;
  /** Lowest score of a kept hit, at least the engine's floor */
  threshold: number;
  limit: number;
  layout: CsvLayout;
}

export interface ListPlan extends Pick<SearchPlan, 'editions' | 'topic'> {
  lists: readonly string[];
  filter?: EntityFilter | undefined;
}

export interface MatchPlan extends ListPlan, Omit<SearchPlan, 'layout'> {
  /** Lowest score of a counted entity; by default the threshold */
  countFrom?: number | undefined;
  without?: ReadonlySet<string> | undefined;
  /** Keeps entities of several lists apart; otherwise they are merged. */
  byList?: boolean | undefined;
}

export interface OtherListing {
  place: number;
  entryHash: string;
  entity: ListedEntity;
}

/** Match with the place of its list in the plan; by list, also with the entries of other lists under the same id */
export type RankedMatch = SubjectMatch & { place: number; elsewhere?: readonly OtherListing[] };

export interface SubjectOutcome {
  best: number;
  /** Number of entities at or above `countFrom`, also beyond the limit */
  found: number;
  complete: boolean;
  matches: RankedMatch[];
  warnings: string[];
}

export interface ListedEntry {
  place: number;
  entity: ListedEntity;
}

export interface EntitySearch {
  text: string;
  fuzzy: boolean;
  limit: number;
}

export interface SearchOutcome {
  entities: ListedEntity[];
  complete: boolean;
}

/** Compact outcome of a piece: a few bytes per row, and more only for rows that matched */
export interface PieceOutcome {
  scores: Float64Array;
  /** WARNED or WARNED_OF_SEARCH for rows with a warning */
  warned: Uint8Array;
  /** Four numbers per hit: row in the piece, place in the plan, entity, name. The best hit of a row comes first. */
  hits: Uint32Array;
  hitScores: Float64Array;
  matched: number;
}

export type HitOutcome = Pick<PieceOutcome, 'hits' | 'hitScores' | 'warned'>;

export const NUMBERS_PER_HIT = 4;

/** Flags of rows: any warning, and the warning that a search was ended */
export const WARNED = 1;
export const WARNED_OF_SEARCH = 2;

export interface ConcernedPlan {
  list: number;
  subjects: readonly SubjectEditions[];
}

/** Index of subjects, and indexes of those whose names are written in fewer words */
export interface SubjectEditions {
  all: number;
  glued: readonly number[];
}

export type Task =
  /** Screens the rows from one on. The outcome may cover fewer rows, and the caller continues after them. */
  | { kind: 'screen'; bytes: Uint8Array; plan: SearchPlan; from: number }
  | { kind: 'results'; bytes: Uint8Array; plan: SearchPlan; outcome: Pick<PieceOutcome, 'scores' | 'warned'> }
  | { kind: 'records'; bytes: Uint8Array; plan: SearchPlan; outcome: HitOutcome }
  /** Screens subjects. The outcome may cover fewer of them, and the caller continues after them. */
  | { kind: 'match'; subjects: readonly Subject[]; plan: MatchPlan }
  | { kind: 'search'; search: EntitySearch; plan: ListPlan }
  | { kind: 'find'; id: string; editions: readonly number[] }
  | { kind: 'entries'; ids: readonly string[]; editions: readonly number[] }
  /** Indexes a share of the subjects whose names are split into other words than those of the list. */
  | { kind: 'glue'; subjects: number; list: number; share: GluingShare; entities: readonly ListedEntity[] }
  | { kind: 'concerned'; entities: readonly ListedEntity[]; plan: ConcernedPlan };

export interface TaskResults {
  screen: PieceOutcome;
  results: Uint8Array;
  records: Uint8Array;
  match: SubjectOutcome[];
  search: SearchOutcome;
  find: ListedEntity | null;
  entries: ListedEntry[][];
  glue: ScreeningIndex | null;
  concerned: string[] | null;
}

export type WorkerOrder =
  | { kind: 'task'; task: Task }
  | { kind: 'index'; edition: Edition }
  | { kind: 'forget'; edition: number };

export type WorkerReply =
  | { kind: 'done'; result: TaskResults[keyof TaskResults] }
  /** Class and stack frames, because a message could hold a person's name */
  | { kind: 'failed'; failure: Record<string, unknown> };

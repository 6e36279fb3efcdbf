// What the pool and its workers say to each other.
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

/** One loaded version of a list, or an index of subjects. Its number is never used again. */
export interface Edition {
  readonly id: number;
  readonly index: ScreeningIndex;
}

/** What rows are compared with; the same for all pieces of a file. */
export interface SearchPlan {
  editions: readonly number[];
  topic: Topic;
  /** Hits below are not kept; never below the engine's floor. */
  threshold: number;
  /** Most hits per row. */
  limit: number;
  layout: CsvLayout;
}

export interface ListPlan extends Pick<SearchPlan, 'editions' | 'topic'> {
  /** Name of the list that each edition is of. */
  lists: readonly string[];
  filter?: EntityFilter | undefined;
}

export interface MatchPlan extends ListPlan, Omit<SearchPlan, 'layout'> {
  /** From which score on those found are counted; the threshold unless told. */
  countFrom?: number | undefined;
  /** Ids of listed entities that are not wanted. */
  without?: ReadonlySet<string> | undefined;
  /** Whether an entity is what its own list says, and one with another id another one; otherwise what all lists say. */
  byList?: boolean | undefined;
}

/** An entry of another list, with that list's place in the plan. */
export interface EntryElsewhere {
  place: number;
  entryHash: string;
  entity: ListedEntity;
}

/** With its list's place in `plan.editions`, and by list with what others say under the same id. */
export type FoundMatch = SubjectMatch & { place: number; elsewhere?: readonly EntryElsewhere[] };

export interface SubjectOutcome {
  /** Best score, 0 where there is no candidate. */
  best: number;
  /** How many are at or above `countFrom`, each entity once, with those that the limit leaves out. */
  found: number;
  /** False where there may be more of them. */
  complete: boolean;
  /** Those within the limit, best first. */
  matches: FoundMatch[];
  warnings: string[];
}

/** With its list's place among the editions. */
export interface ListedEntry {
  place: number;
  entity: ListedEntity;
}

export interface EntitySearch {
  /** Words to look for; nothing for everything. */
  text: string;
  fuzzy: boolean;
  limit: number;
}

export interface SearchOutcome {
  /** Best first, each once. */
  entities: ListedEntity[];
  /** False where there are more. */
  complete: boolean;
}

/** Compact outcome of one piece: a few bytes per row, and more only for the rows that matched. */
export interface PieceOutcome {
  /** Best score of each row, 0 where there is no candidate. */
  scores: Float64Array;
  /** WARNED or WARNED_OF_SEARCH where the row carries a warning. */
  warned: Uint8Array;
  /** Four numbers per hit: row within the piece, place in `plan.editions`, entity, name; best first within a row. */
  hits: Uint32Array;
  hitScores: Float64Array;
  /** Rows at or above the threshold. */
  matched: number;
}

export const NUMBERS_PER_HIT = 4;

/** Of what the row says, and also of a search that was not done in full. */
export const WARNED = 1;
export const WARNED_OF_SEARCH = 2;

export interface ConcernedPlan {
  /** The edition that the entities are of. */
  list: number;
  subjects: readonly SubjectEditions[];
}

/** An index of subjects, and those of its subjects whose names are written as fewer words than they have. */
export interface SubjectEditions {
  all: number;
  glued: readonly number[];
}

export type Task =
  /** The rows from one on; the outcome may be of fewer, and whoever asked goes on behind them. */
  | { kind: 'screen'; bytes: Uint8Array; plan: SearchPlan; from: number }
  /** JSON of the rows, comma-separated. */
  | { kind: 'results'; bytes: Uint8Array; plan: SearchPlan; outcome: Pick<PieceOutcome, 'scores' | 'warned'> }
  /** JSON of the rows that the hits belong to, comma-separated. */
  | {
      kind: 'records';
      bytes: Uint8Array;
      plan: SearchPlan;
      outcome: Pick<PieceOutcome, 'hits' | 'hitScores' | 'warned'>;
    }
  /** The outcome may be of fewer than were given, and whoever asked goes on behind them. */
  | { kind: 'match'; subjects: readonly Subject[]; plan: MatchPlan }
  | { kind: 'search'; search: EntitySearch; plan: ListPlan }
  /** The entity with this id, or that had it before or has it elsewhere. */
  | { kind: 'find'; id: string; editions: readonly number[] }
  /** What each of the lists has under these ids. */
  | { kind: 'entries'; ids: readonly string[]; editions: readonly number[] }
  /** A share of the subjects whose names are cut elsewhere than the words of a list, or than the names of entities of it. */
  | { kind: 'glue'; subjects: number; list: number; share: GluingShare; entities: readonly ListedEntity[] }
  /** Whom changed entities may concern. */
  | { kind: 'concerned'; entities: readonly ListedEntity[]; plan: ConcernedPlan };

export interface TaskResults {
  screen: PieceOutcome;
  results: Uint8Array;
  records: Uint8Array;
  match: SubjectOutcome[];
  search: SearchOutcome;
  find: ListedEntity | null;
  /** One per id. */
  entries: ListedEntry[][];
  /** Null where there are none. */
  glue: ScreeningIndex | null;
  concerned: string[] | null;
}

export type WorkerOrder =
  | { kind: 'task'; task: Task }
  | { kind: 'index'; edition: Edition }
  | { kind: 'forget'; edition: number };

export type WorkerReply =
  | { kind: 'done'; result: TaskResults[keyof TaskResults] }
  /** Class and stack frames: a message could hold a person's name. */
  | { kind: 'failed'; failure: Record<string, unknown> };

// What the searches for people and for organisations have in common.
import type { DateRelation } from '../dates/compare-dates.ts';
import type { QueryDate } from '../dates/query-date.ts';
import type { QueryName, QueryPart } from './query.ts';
import type { TopHits } from './top-hits.ts';

export interface NameSearchOptions {
  date: QueryDate | undefined;
  /** ENTITY_* flags that an entity must have. */
  topic: number;
}

/** One way to cut a name into parts, and what a match by it is multiplied with. */
export interface CutName {
  parts: QueryPart[];
  isWritten: boolean;
  factor: number;
}

export interface NameSearch {
  /** Adds what it finds for one name. */
  search(written: QueryName, options: NameSearchOptions, top: TopHits): void;
  /** The ways in which the search cuts a name, the written one first. */
  readings(written: QueryName): Iterable<CutName>;
  /** What the following names are compared with, until the end. */
  begin(cut: CutName): void;
  /** Compares with one listed name: its score, before it is rounded. The pairs stay in the PartPairs of the search. */
  compare(name: number, relation: DateRelation): number;
  end(): void;
}

export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

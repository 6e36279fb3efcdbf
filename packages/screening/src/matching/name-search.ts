// Common interface of the searches for people and organizations.
import type { DateRelation } from '../dates/compare-dates.ts';
import type { QueryDate } from '../dates/query-date.ts';
import type { QueryName, QueryPart } from './query.ts';
import type { TopHits } from './top-hits.ts';

export interface NameSearchOptions {
  date: QueryDate | undefined;
  /** ENTITY_* flags that an entity must have. */
  topic: number;
}

/** A segmentation of a name, and the factor for matches by it. */
export interface CutName {
  parts: QueryPart[];
  isWritten: boolean;
  factor: number;
}

export interface NameSearch {
  /** Adds its findings for one name. */
  search(written: QueryName, options: NameSearchOptions, top: TopHits): void;
  /** Returns the segmentations of a name, the written one first. */
  readings(written: QueryName): Iterable<CutName>;
  /** Sets the comparison's query until `end`. */
  begin(cut: CutName): void;
  /** Returns the unrounded score with one listed name. The pairs remain in the PartPairs. */
  compare(name: number, relation: DateRelation): number;
  end(): void;
}

export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

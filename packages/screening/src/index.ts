// Name screening: turns lists into scored and explained matches. Pure: no network, no disk, no
// clock.
export { type ConcernedFinder, createConcernedFinder } from './concerned/find-concerned.ts';
export { type GluingShare, indexGlued, shareGluing } from './concerned/glued-subjects.ts';
export { toSubjectEntity } from './concerned/subject-entity.ts';
export { readQueryDate } from './dates/query-date.ts';
export { emptyEntity, type Identifier, type ListedEntity, MAX_NAME_LENGTH, VALUE_LISTS } from './entity.ts';
export { type EntityFilter, fitsFilter } from './entity-filter.ts';
export { IDENTIFIER_KINDS, type IdentifierKind } from './identifiers/kinds.ts';
export { findIdentifierKind, SHORT_KINDS, splitIdentifier } from './identifiers/written-identifier.ts';
export { IndexBuilder } from './index/build-index.ts';
export { countTopics, type TopicCounts } from './index/count-topics.ts';
export type { Topic } from './index/entity-flags.ts';
export { findEntity, findTwins } from './index/entity-ids.ts';
export {
  deserializeIndex,
  IndexFileError,
  locateRecords,
  recoverEntities,
  serializeIndex,
} from './index/index-bytes.ts';
export { mergeEntities } from './index/merge-entities.ts';
export { listEntities, type ScreeningIndex } from './index/screening-index.ts';
export { TARGETS_SIMPLE_COLUMNS } from './loaders/formats/load-targets-simple.ts';
export { readFtmSubject } from './loaders/formats/read-ftm-subject.ts';
export * from './loaders/load-list.ts';
export { splitLeniently } from './loaders/reading/split-leniently.ts';
export { findSchema } from './loaders/schema.ts';
export { type Match, showEntity } from './matching/describe-match.ts';
export { type NamedThing, type PersonRow, type Query, readName, readQuery } from './matching/query.ts';
export { CANDIDATE_FLOOR } from './matching/score.ts';
export { createScreener, type Screener, SEARCH_ENDED } from './matching/screener.ts';
export type { Hit } from './matching/top-hits.ts';
export { compareFits, createTextSearch, type FoundEntities, type TextSearch } from './search/search-text.ts';
export { readCountry } from './subjects/countries.ts';
export {
  type Feature,
  type FeatureName,
  type Features,
  type SubjectMatch,
  type SubjectMatches,
  SubjectScreener,
} from './subjects/screen-subject.ts';
export {
  hasNumberInName,
  mergeLengthWarnings,
  type ReadSubject,
  readSubject,
  type Subject,
  type SubjectIdentifier,
} from './subjects/subject.ts';
export {
  compareLists,
  type EntityChange,
  type EntityField,
  type ListRecords,
  recordsOf,
} from './versions/compare-lists.ts';
export { selectNewlyComparable } from './versions/newly-comparable.ts';

// Searches one index for whatever is screened: each of its names as a name of its kind, and reports the best entities.
import type { ListedEntity } from '../entity.ts';
import { TOPIC_FLAG, type Topic } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON, type Kind } from '../kind.ts';
import { createCandidateFinder } from './candidates.ts';
import { createDescriber, type Match } from './describe-match.ts';
import { createOrganisationSearch } from './organisation-search.ts';
import { createPartLookup } from './part-lookup.ts';
import { createPartPairs } from './part-pairs.ts';
import { createPersonSearch } from './person-search.ts';
import type { Query } from './query.ts';
import { createTokenTable } from './token-table.ts';
import { createTopHits, type Hit } from './top-hits.ts';

export interface Screener {
  /** Best first, one per entity, none below CANDIDATE_FLOOR. */
  screen(query: Query, options: { limit: number; topic: Topic }): Hit[];
  describe(query: Query, hit: Hit): Match;
  /** What the list says, without what a description takes. */
  entityOf(hit: Hit): ListedEntity;
}

/** One per thread and index: it owns the memory that a search needs. */
export function createScreener(index: ScreeningIndex): Screener {
  const table = createTokenTable(index);
  const lookup = createPartLookup(index, table);
  const pairs = createPartPairs(index, table);
  const candidates = createCandidateFinder(index, table);
  const people = createPersonSearch(index, lookup, pairs, candidates);
  const organisations = createOrganisationSearch(index, lookup, pairs, candidates);
  const searchFor = (kind: Kind) => (kind === KIND_PERSON ? people : organisations);

  return {
    screen({ names, date }, { limit, topic }) {
      const top = createTopHits(limit);
      for (const name of names) searchFor(name.kind).search(name, { date, topic: TOPIC_FLAG[topic] }, top);
      return top.hits;
    },
    describe: createDescriber(index, pairs, searchFor),
    entityOf: ({ entity }) => decodeEntity(index.sections, entity),
  };
}

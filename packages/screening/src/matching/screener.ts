// Searches one index for whatever is screened: each of its names as a name of its kind, and reports the best entities.
import type { ListedEntity } from '../entity.ts';
import { NAME_ENTITY_SHIFT, TOPIC_FLAG, type Topic } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON, type Kind } from '../kind.ts';
import { CandidateFinder } from './candidates.ts';
import { createDescriber } from './describe-match.ts';
import { createOrganisationSearch } from './organisation-search.ts';
import { PartLookup } from './part-lookup.ts';
import { PartPairs } from './part-pairs.ts';
import { PersonSearch } from './person-search.ts';
import type { Query } from './query.ts';
import { CANDIDATE_FLOOR } from './score.ts';
import { createTokenTable } from './token-table.ts';
import { createTopHits, type Hit } from './top-hits.ts';

/**
 * What one query may cost: each name that is compared with it costs as much as the query has parts. Twice as much as there are
 * names is more than the longest names of frequent parts take; a crafted name in a crafted list would take hundreds of times that.
 */
const LEAST_EFFORT = 100_000;
const effortFor = ({ nameCount }: ScreeningIndex) => Math.max(LEAST_EFFORT, 2 * nameCount);

/** Among the warnings of a query whose search was given up. */
export const SEARCH_ENDED =
  'Too many listed names are like this one in some of its parts; not all of them were compared, so a match may be missing.';

export type Screener = ReturnType<typeof createScreener>;

/** One per thread and index: it owns the memory that a search needs. */
export function createScreener(index: ScreeningIndex) {
  const table = createTokenTable(index);
  const lookup = new PartLookup(index, table);
  const pairs = new PartPairs(index, table);
  const candidates = new CandidateFinder(index, table);
  const people = new PersonSearch(index, lookup, pairs, candidates);
  const organisations = createOrganisationSearch(index, lookup, pairs, candidates);
  const searchFor = (kind: Kind) => (kind === KIND_PERSON ? people : organisations);
  const effort = effortFor(index);
  let spent = 0;

  return {
    /** What all searches have cost together. */
    get spent(): number {
      return spent;
    },
    /**
     * Best first, one per entity, none below CANDIDATE_FLOOR. Where there are more names to compare than one query may cost,
     * the query is warned with SEARCH_ENDED.
     */
    screen({ names, date, warnings }: Query, { limit, topic }: { limit: number; topic: Topic }): Hit[] {
      const top = createTopHits(limit);
      candidates.allow(effort);
      for (const name of names) searchFor(name.kind).search(name, { date, topic: TOPIC_FLAG[topic] }, top);
      spent += effort - candidates.left;
      if (candidates.isSpent && !warnings.includes(SEARCH_ENDED)) warnings.push(SEARCH_ENDED);
      return top.hits;
    },
    /** How a query compares with one entity by the names alone, however many others are closer; undefined where it is not alike. */
    closest({ names }: Query, entity: number): Hit | undefined {
      const { entityNames, entityNameCounts, nameFlags } = index.sections;
      const first = entityNames[entity]!;
      let best: Hit | undefined;
      for (const written of names) {
        const search = searchFor(written.kind);
        for (const reading of search.readings(written)) {
          search.begin(reading);
          for (let name = first; name < first + entityNameCounts[entity]!; name += 1) {
            if (((nameFlags[name]! >>> NAME_ENTITY_SHIFT) & written.kind) === 0) continue;
            const score = search.compare(name, 'unknown');
            if (score >= CANDIDATE_FLOOR && score > (best?.score ?? 0)) best = { entity, name, score };
          }
          search.end();
        }
      }
      return best;
    },
    describe: createDescriber(index, pairs, searchFor),
    /** What the list says, without what a description takes. */
    entityOf: ({ entity }: Hit): ListedEntity => decodeEntity(index.sections, entity),
  };
}

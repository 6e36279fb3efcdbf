// Searches one index: each name by the rules of its kind. Reports the best entities.
import type { ListedEntity } from '../entity.ts';
import { NAME_ENTITY_SHIFT, TOPIC_FLAG, type Topic } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON, type Kind } from '../kind.ts';
import { CandidateFinder } from './candidates.ts';
import { createDescriber } from './describe-match.ts';
import { createOrganizationSearch } from './organisation-search.ts';
import { PartLookup } from './part-lookup.ts';
import { PartPairs } from './part-pairs.ts';
import { PersonSearch } from './person-search.ts';
import type { Query } from './query.ts';
import { CANDIDATE_FLOOR } from './score.ts';
import { createTokenTable } from './token-table.ts';
import { createTopHits, type Hit } from './top-hits.ts';

/**
 * Cost budget of a query. Each compared name costs the number of the query's parts. Twice the
 * number of names exceeds the longest names of frequent parts; a crafted name in a crafted list
 * would cost hundreds of times that.
 */
const LEAST_EFFORT = 100_000;
const effortFor = ({ nameCount }: ScreeningIndex) => Math.max(LEAST_EFFORT, 2 * nameCount);

/** Warning of a query whose search was aborted. */
export const SEARCH_ENDED =
  'Too many listed names are like this one in some of its parts; not all of them were compared, so a match may be missing.';

export type Screener = ReturnType<typeof createScreener>;

/** Owns the working memory of a search. Create one per thread and index. */
export function createScreener(index: ScreeningIndex) {
  const table = createTokenTable(index);
  const lookup = new PartLookup(index, table);
  const pairs = new PartPairs(index, table);
  const candidates = new CandidateFinder(index, table);
  const people = new PersonSearch(index, lookup, pairs, candidates);
  const organizations = createOrganizationSearch(index, lookup, pairs, candidates);
  const searchFor = (kind: Kind) => (kind === KIND_PERSON ? people : organizations);
  const effort = effortFor(index);
  let spent = 0;

  return {
    /** Total cost of all searches. */
    get spent(): number {
      return spent;
    },
    /**
     * Returns matches best first, one per entity, at or above CANDIDATE_FLOOR. If the cost budget
     * is exceeded, warns with SEARCH_ENDED.
     */
    screen({ names, date, warnings }: Query, { limit, topic }: { limit: number; topic: Topic }): Hit[] {
      const top = createTopHits(limit);
      candidates.allow(effort);
      for (const name of names) searchFor(name.kind).search(name, { date, topic: TOPIC_FLAG[topic] }, top);
      spent += effort - candidates.left;
      if (candidates.isSpent && !warnings.includes(SEARCH_ENDED)) warnings.push(SEARCH_ENDED);
      return top.hits;
    },
    /**
     * Compares a query with one entity by names alone, regardless of closer entities. Returns
     * undefined if they are not similar.
     */
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
    /** Returns the list's data, without the cost of a description. */
    entityOf: ({ entity }: Hit): ListedEntity => decodeEntity(index.sections, entity),
  };
}

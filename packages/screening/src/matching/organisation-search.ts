// Searches one index for an organization, a ship or an aircraft.
import { NAME_ENTITY_SHIFT, NAME_SPARSE, NAME_WEAK } from '../index/entity-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { isNaming, isOrganizationCore, organizationWeight } from '../names/organisation/part-weight.ts';
import { isCommonName } from '../names/part-class.ts';
import type { CandidateFinder } from './candidates.ts';
import { type NameSearch, roundScore } from './name-search.ts';
import { OrganizationAligner } from './organisation-alignment.ts';
import { organizationReadings } from './organisation-readings.ts';
import { LEAST_ORGANIZATION_SHARE, type OrganizationEvidence, scoreOrganization } from './organisation-score.ts';
import type { PartLookup } from './part-lookup.ts';
import type { KnownPart } from './part-names.ts';
import type { PartPairs } from './part-pairs.ts';
import type { QueryName, QueryPart } from './query.ts';
import { BEST_LEAD, CANDIDATE_FLOOR, isAsWritten } from './score.ts';
import type { TopHits } from './top-hits.ts';

/** Postings of the rarest words up to which every name is opened. Above, two must match. */
const FEW_POSTINGS = 1_000;
/** A weak alias is a lead, and only as written. Translated, `National Bank` is the name of many. */
const WEAK_ALIAS_FROM = 0.95;

export function createOrganizationSearch(
  index: ScreeningIndex,
  lookup: PartLookup,
  pairs: PartPairs,
  candidates: CandidateFinder,
): NameSearch {
  const { nameEntities, nameFlags } = index.sections;
  const aligner = new OrganizationAligner(index, lookup.comparison, pairs);
  let begun = 1;

  function scoreName(evidence: OrganizationEvidence, name: number): number {
    const score = scoreOrganization(evidence);
    if ((nameFlags[name]! & NAME_WEAK) === 0) return score;
    return score < WEAK_ALIAS_FROM || !isAsWritten(evidence) ? 0 : BEST_LEAD;
  }

  function searchReading(parts: KnownPart[], factor: number, written: QueryName, topic: number, top: TopHits): void {
    const weights = parts.map(({ flags, bits }) => organizationWeight(flags, bits));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const telling = parts.filter(({ flags }) => isOrganizationCore(flags));
    const core = telling.length > 0 ? telling : parts;
    const least = LEAST_ORGANIZATION_SHARE * total;
    const supporting = weights.reduce((sum, weight, at) => (core.includes(parts[at]!) ? sum : sum + weight), 0);
    const { scanned, skipped } = splitWords(core, least - supporting);
    const postings = scanned.reduce((sum, part) => sum + part.postings, 0);
    const single = new Set(core).size === 1 || postings <= FEW_POSTINGS;
    const see = (name: number) => {
      const flags = nameFlags[name]! >>> NAME_ENTITY_SHIFT;
      if ((flags & written.kind) === 0 || (flags & topic) !== topic) return;
      pairs.glance(name);
      if (!single && pairs.glancedPlaces < 2 && (nameFlags[name]! & NAME_SPARSE) === 0) return;
      if (pairs.glancedParts === 0 || pairs.glancedWeight + supporting < least) return;
      const evidence = aligner.align(name);
      if (!written.isCertain && !isLikely(evidence, parts)) return;
      const score = factor * scoreName(evidence, name);
      if (score >= CANDIDATE_FLOOR) top.add(nameEntities[name]!, name, roundScore(score));
    };
    aligner.begin(parts);
    candidates.visit(scanned, skipped, { single, year: undefined, price: parts.length, see });
    aligner.end();
  }

  const lookUp = (parts: readonly QueryPart[]) => parts.map(({ text, vowelless }) => lookup.findWord(text, vowelless));
  const readings = ({ parts }: QueryName) => organizationReadings(parts, lookup);

  return {
    search(written, { topic }, top) {
      for (const { parts, factor } of readings(written)) searchReading(lookUp(parts), factor, written, topic, top);
    },
    readings,
    begin({ parts, factor }) {
      begun = factor;
      aligner.begin(lookUp(parts));
    },
    compare: (name) => begun * scoreName(aligner.align(name), name),
    end: () => aligner.end(),
  };
}

/** Frequent words are not scanned as long as they cannot make a candidate on their own. */
function splitWords(core: readonly KnownPart[], least: number) {
  const ordered = core.toSorted((a, b) => b.postings - a.postings || (a.text < b.text ? -1 : 1));
  let count = 0;
  let weight = 0;
  while (count < ordered.length - 1) {
    weight += organizationWeight(ordered[count]!.flags, ordered[count]!.bits);
    if (weight >= least) break;
    count += 1;
  }
  return { scanned: ordered.slice(count).reverse(), skipped: ordered.slice(0, count) };
}

/**
 * Without a known kind, only a nearly complete match means an organization. A single word must be
 * the whole name, and neither generic nor a given name.
 */
function isLikely(evidence: OrganizationEvidence, parts: readonly KnownPart[]): boolean {
  const { coreParts, namingParts, queryRest, listedRest, matched, nearParts, byAcronym } = evidence;
  if (namingParts === 0 || nearParts > 0 || byAcronym) return false;
  if (coreParts >= 2) return queryRest + listedRest <= 0.3 * matched;
  const word = parts.find(({ flags }) => isNaming(flags));
  return queryRest + listedRest === 0 && word !== undefined && word.text.length >= 4 && !isCommonName(word.text);
}

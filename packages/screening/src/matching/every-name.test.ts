// A search opens few names. Its results must equal a comparison with every name.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { type DateRelation, relateDates } from '../dates/compare-dates.ts';
import { IndexBuilder } from '../index/build-index.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON } from '../kind.ts';
import { CandidateFinder } from './candidates.ts';
import { roundScore } from './name-search.ts';
import { createOrganizationSearch } from './organisation-search.ts';
import { PartLookup } from './part-lookup.ts';
import { PartPairs } from './part-pairs.ts';
import { PersonSearch } from './person-search.ts';
import { type Query, readName, readQuery } from './query.ts';
import { CANDIDATE_FLOOR, EQUAL_NAME, LEAST_SHARE } from './score.ts';
import { createScreener } from './screener.ts';
import { createTokenTable } from './token-table.ts';

/** So frequent that their postings are read differently from those of family names. */
const COMMON = ['Muhammad', 'Ahmad', 'Trading'];
const OTHERS = ['Mohamed', 'Mohammed', 'Ahmed', 'Traiding', 'Petrovich', 'Maria', 'al', 'J'];
const FAMILIES = ['Bar', 'Kel', 'Dom', 'Tur', 'Zan'].flatMap((front) =>
  ['vik', 'mark', 'lander', 'senko', 'ova'].map((back) => front + back),
);
const DATES = ['', '1961-02-03', '1961-03-02', '1961', '1965-02-03', '1963', '1969-02-03', '1990-02-03'];
/** Years far apart. Only nearly equal names are candidates there. */
const FAR: ReadonlySet<DateRelation> = new Set(['misread', 'conflict']);
const given = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...COMMON) }, fc.constantFrom(...OTHERS));
const entity = fc.record({
  parts: fc
    .tuple(fc.constantFrom(...FAMILIES), given, given, given)
    .map((parts) => parts.slice(0, 2 + (parts[0].length % 3))),
  dates: fc.array(fc.constantFrom(...DATES.slice(1)), { maxLength: 2 }),
  schema: fc.constantFrom('Person', 'Person', 'Person', 'Company'),
});
/** The person to search for, with a letter omitted, another given name or neither, and the date. */
const question = fc.record({
  at: fc.nat(299),
  slip: fc.nat(3),
  other: given,
  birthDate: fc.constantFrom(...DATES),
  isCompany: fc.nat(3).map((one) => one === 0),
});

function askFor(parts: readonly string[], slip: number, other: string): string[] {
  const [family, ...rest] = parts;
  if (slip === 0) return [`${family!.slice(0, 2)}${family!.slice(3)}`, ...rest];
  return slip === 1 ? [family!, other, ...rest.slice(1)] : slip === 2 ? [...parts, other] : [...parts];
}

function buildIndex(entities: readonly { parts: string[]; dates: string[]; schema: string }[]): ScreeningIndex {
  const builder = new IndexBuilder();
  for (const [at, { parts, dates, schema }] of entities.entries())
    builder.add(listed(parts.join(' '), { id: `e-${at}`, birthDates: schema === 'Person' ? dates : [], schema }));
  return builder.finish();
}

/** Returns the best score per entity, among names with enough matching parts to be opened. */
function compareWithAll(index: ScreeningIndex, { names, date }: Query): Map<number, number> {
  const { nameEntities, dates, dateOffsets, nameTokenOffsets, nameFlags } = index.sections;
  const table = createTokenTable(index);
  const lookup = new PartLookup(index, table);
  const pairs = new PartPairs(index, table);
  const candidates = new CandidateFinder(index, table);
  const people = new PersonSearch(index, lookup, pairs, candidates);
  const organizations = createOrganizationSearch(index, lookup, pairs, candidates);
  const best = new Map<number, number>();
  for (const written of names) {
    // Guessed kinds must match in nearly everything, which other tests cover.
    if (!written.isCertain) continue;
    const search = written.kind === KIND_PERSON ? people : organizations;
    for (const reading of search.readings(written)) {
      if (!reading.isWritten && written.kind === KIND_PERSON && Math.max(0, ...best.values()) >= EQUAL_NAME) break;
      search.begin(reading);
      const total = pairs.partWeights.subarray(0, pairs.parts.length).reduce((sum, weight) => sum + weight, 0);
      for (let at = 0; at < index.nameCount; at += 1) {
        const of = nameEntities[at]!;
        if (((nameFlags[at]! >>> 4) & written.kind) === 0 || nameTokenOffsets[at] === nameTokenOffsets[at + 1])
          continue;
        const relation = relateDates(date, dates, dateOffsets[of]!, dateOffsets[of + 1]!);
        pairs.glance(at);
        const isOpened = relation === 'day' ? pairs.glancedParts > 0 : pairs.glancedParts > 1;
        if (!isOpened || FAR.has(relation) || pairs.glancedWeight < LEAST_SHARE.conflict * total) continue;
        const score = search.compare(at, relation);
        if (score >= CANDIDATE_FLOOR) best.set(of, Math.max(best.get(of) ?? 0, roundScore(score)));
      }
      search.end();
    }
  }
  return best;
}

it('finds what a comparison with every name finds', () => {
  let compared = 0;
  const entities = fc.array(entity, { minLength: 300, maxLength: 400 });
  const questions = fc.array(question, { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(entities, questions, (all, asked) => {
      const index = buildIndex(all);
      const screener = createScreener(index);
      for (const { at, slip, other, birthDate, isCompany } of asked) {
        const parts = askFor(all[at]!.parts, slip, other);
        const query = isCompany
          ? readName({ name: parts.join(' '), schema: 'Company', birthDate: '' })
          : readQuery({ firstName: parts[0]!, lastName: parts.slice(1).join(' '), birthDate });
        const hits = screener.screen(query, { limit: 1_000, topic: 'all' });
        const found = new Map(hits.map((hit) => [hit.entity, hit.score]));
        for (const [of, score] of compareWithAll(index, query)) {
          expect(found.get(of) ?? 0, `${parts.join(' ')} ${birthDate}, ${all[of]!.parts.join(' ')}`).toBe(score);
          compared += 1;
        }
      }
    }),
    { numRuns: onlyWhenLong(200, 6), endOnFailure: true },
  );
  expect(compared).toBeGreaterThan(20);
});

it.each([
  ['Organization', 'AR.P.C.'],
  ['Organization', 'DES INTERNATIONAL CO., LTD.'],
  ['Organization', 'BANCO CORPORATIVO SA'],
  ['Organization', 'TIMBER CORPORATION'],
  ['Vessel', 'DIAMOND'],
  ['Vessel', 'JAMAICA'],
  ['Vessel', 'DELLA'],
  ['Vessel', 'LPG OM'],
  [
    'Organization',
    'ORVEL STATE BUDGETARY INSTITUTE OF SCIENCE INSTITUTE OF HYDRODYNAMICS NAMED AFTER M A ZELVARTYEV OF THE BRANTOR BRANCH OF THE ORVELIAN ACADEMY OF SCIENCES',
  ],
])('finds a listed name by itself, whatever its words: %s %s', (schema, name) => {
  const builder = new IndexBuilder();
  for (let at = 0; at < 200; at += 1) builder.add(listed(`${FAMILIES[at % 25]} ${name}`, { id: `o-${at}`, schema }));
  builder.add(listed(name, { id: 'own', schema }));
  const index = builder.finish();
  const [best] = createScreener(index).screen(readName({ name, schema, birthDate: '' }), { limit: 1, topic: 'all' });
  expect(best && index.entityCount - 1 === best.entity && best.score).toBeGreaterThanOrEqual(0.95);
});

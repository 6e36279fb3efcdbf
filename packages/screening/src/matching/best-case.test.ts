// Rejecting names without opening them must not change results.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { DATE_RELATIONS } from '../dates/compare-dates.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { NAME_WEAK } from '../index/entity-flags.ts';
import { Aligner } from './alignment.ts';
import { BestCase } from './best-case.ts';
import { PartLookup } from './part-lookup.ts';
import { PartPairs } from './part-pairs.ts';
import { doParticlesCountIn } from './person-search.ts';
import { readQuery } from './query.ts';
import { inFixedOrder } from './readings.ts';
import { bestScore, scoreOf } from './score.ts';
import { createScreener } from './screener.ts';
import { createTokenTable } from './token-table.ts';

const WORDS =
  'Muhammad Mohamed Mahmoud Ahmad Hassan Hussein Husein Omar Umar Ali Aly al bin Abu Marei Marey Sami Samy Roman Romanov Romanova Hayes Hays Katharina Katarina Katarzyna J M Petrov Petrovich Ibarra Ibara Wei Wai Li Lee Juan Carlos Ramirez Ramires Evtushenko Yevtushenko Borisovich Igor Yigor'.split(
    ' ',
  );
const word = fc.constantFrom(...WORDS);
/** A word with one letter dropped, doubled or replaced, or unchanged. */
const misspelled = fc.tuple(word, fc.nat(3), fc.nat(20)).map(([text, slip, place]) => {
  const at = place % text.length;
  if (slip === 0) return text.slice(0, at) + text.slice(at + 1);
  if (slip === 1) return text.slice(0, at) + text.slice(at, at + 1) + text.slice(at);
  return slip === 2 ? `${text.slice(0, at)}o${text.slice(at + 1)}` : text;
});
const nameOf = (part: fc.Arbitrary<string>) =>
  fc.array(part, { minLength: 1, maxLength: 5 }).map((all) => all.join(' '));
const dates = fc.constantFrom(undefined, '1961-02-03', '1965', '1969-02-03', '1961-03-02');

const list = fc
  .array(fc.tuple(nameOf(misspelled), fc.boolean(), dates), { minLength: 1, maxLength: 40 })
  .map((names) => {
    const builder = new IndexBuilder();
    for (const [at, [name, isWeak, date]] of names.entries()) {
      const birthDates = date === undefined ? [] : [date];
      const known = isWeak ? { names: [], weakNames: [name] } : {};
      builder.add(listed(name, { id: `e-${at}`, birthDates, ...known }));
    }
    return builder.finish();
  });

describe('a rejected name', () => {
  it('never scores above its upper bound', () => {
    fc.assert(
      fc.property(
        list,
        nameOf(misspelled),
        fc.boolean(),
        fc.constantFrom(...DATE_RELATIONS),
        (index, name, loosely, relation) => {
          const [query] = readQuery({ firstName: name, lastName: '', birthDate: '1961' }).names;
          if (!query) return;
          const table = createTokenTable(index);
          const lookup = new PartLookup(index, table);
          const pairs = new PartPairs(index, table);
          const aligner = new Aligner(index, lookup.comparison, pairs);
          const bestCase = new BestCase(index, lookup.comparison, pairs);
          const parts = inFixedOrder(query.parts);
          const known = parts.map((part) => lookup.find(part));
          aligner.begin(known, doParticlesCountIn(parts, known));
          for (let at = 0; at < index.nameCount; at += 1) {
            const isWeak = (index.sections.nameFlags[at]! & NAME_WEAK) !== 0;
            if (bestCase.open(at) === 0) continue;
            const best = bestScore(bestCase.look(loosely), isWeak, relation);
            expect(best).toBeGreaterThanOrEqual(scoreOf(aligner.align(at, loosely), isWeak, relation));
          }
          aligner.end();
        },
      ),
      { numRuns: onlyWhenLong(3_000, 60) },
    );
  });

  it('would never be among the best, for any limit', () => {
    fc.assert(
      fc.property(list, nameOf(misspelled), dates, fc.integer({ min: 1, max: 3 }), (index, name, date, limit) => {
        const screener = createScreener(index);
        const query = readQuery({ firstName: name, lastName: '', birthDate: date ?? '' });
        const all = screener.screen(query, { limit: 1_000, topic: 'all' });
        const few = screener.screen(query, { limit, topic: 'all' });
        expect(few).toEqual(all.slice(0, limit));
      }),
      { numRuns: onlyWhenLong(2_000, 40) },
    );
  });
});

it('finds names that contain a word twice if the query does', () => {
  const builder = new IndexBuilder();
  for (const name of ['Tashkovsky Tashkovsky', 'Roman Quist', 'Miro Vahl']) builder.add(listed(name));
  const screener = createScreener(builder.finish());
  const found = (firstName: string) =>
    screener
      .screen(readQuery({ firstName, lastName: '', birthDate: '' }), { limit: 9, topic: 'all' })
      .map((hit) => screener.entityOf(hit).caption);
  expect(found('Tashkovsky Roman Tashkovsky')).toEqual(['Tashkovsky Tashkovsky']);
});

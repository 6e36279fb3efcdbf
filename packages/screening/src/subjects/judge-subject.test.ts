// What the score of a match may never do, whatever is compared.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DATE_RELATIONS } from '../dates/compare-dates.ts';
import type { Comparison } from './compare-context.ts';
import type { IdentifierComparison } from './compare-identifiers.ts';
import { type Judged, judgeSubject } from './judge-subject.ts';

const words = { detail: '', query: '', candidate: '' };
const compare = (...relations: Comparison['relation'][]) =>
  fc.option(
    fc.constantFrom(...relations).map((relation) => ({ relation, ...words })),
    { nil: undefined },
  );
const anyJudged = fc
  .record({
    name: fc.oneof(fc.constant(0), fc.double({ min: 0.5, max: 1, noNaN: true })),
    birthDate: fc.constantFrom(...DATE_RELATIONS),
    country: compare('alike', 'differs'),
    address: compare('alike'),
    isOtherKind: fc.boolean(),
    isContradicted: fc.boolean(),
  })
  .map(({ country, address, isContradicted, ...rest }) => ({
    name: rest.name,
    judge(relation?: IdentifierComparison['relation'], isForLife = false) {
      const told = relation ?? (isContradicted ? 'differs' : undefined);
      const identifier = told && { relation: told, isForLife, isContradicted, ...words };
      const context = { ...(country && { country }), ...(address && { address }), ...(identifier && { identifier }) };
      return judgeSubject({ ...rest, context } satisfies Judged);
    },
  }));

it('never falls because an identifier agrees, and rises with how much it tells', () => {
  fc.assert(
    fc.property(anyJudged, ({ judge }) => {
      const rising = [judge(), judge('alike'), judge('common'), judge('shared'), judge('equal'), judge('equal', true)];
      expect(rising).toEqual(rising.toSorted((one, other) => one - other));
    }),
  );
});

it('is never lifted to what is worth a look by what others may have as well', () => {
  fc.assert(
    fc.property(anyJudged, fc.constantFrom('alike', 'common', 'shared'), ({ name, judge }, relation) => {
      if (name < 0.85) expect(judge(relation)).toBeLessThan(0.85);
    }),
  );
});

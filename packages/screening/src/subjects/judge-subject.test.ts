// Invariants of a match's score for all comparisons.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATE_RELATIONS } from '../dates/compare-dates.ts';
import type { Comparison, IdentifierComparison } from './compare-identifiers.ts';
import { judgeSubject, type SubjectVerdict } from './judge-subject.ts';

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
    isOfOneRegister: fc.boolean(),
    country: compare('alike', 'differs'),
    address: compare('alike'),
    isOtherKind: fc.boolean(),
    isContradicted: fc.boolean(),
  })
  .map(({ country, address, isContradicted, isOfOneRegister, ...rest }) => ({
    name: rest.name,
    judge(relation?: IdentifierComparison['relation'], isForLife = false, name = rest.name) {
      const told = relation ?? (isContradicted ? 'differs' : undefined);
      const identifier = told && { relation: told, isForLife, isOfOneRegister, isContradicted, ...words };
      const context = { ...(country && { country }), ...(address && { address }), ...(identifier && { identifier }) };
      return judgeSubject({ ...rest, name, context } satisfies SubjectVerdict);
    },
  }));

it('never decreases when an identifier matches, and increases with its strength', () => {
  fc.assert(
    fc.property(anyJudged, ({ judge }) => {
      const rising = [judge(), judge('alike'), judge('common'), judge('shared'), judge('equal'), judge('equal', true)];
      expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    }),
  );
});

it('is never raised to the review band by evidence that others may share', () => {
  fc.assert(
    fc.property(anyJudged, fc.constantFrom('alike', 'common', 'shared'), ({ name, judge }, relation) => {
      if (name < 0.85) expect(judge(relation)).toBeLessThan(0.85);
    }),
  );
});

it('never decreases when the name is more similar', () => {
  const anyRelation = fc.constantFrom(undefined, 'alike', 'common', 'shared', 'equal', 'differs');
  const anyName = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(anyJudged, anyRelation, anyName, anyName, ({ judge }, relation, one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      expect(judge(relation, false, less)).toBeLessThanOrEqual(judge(relation, false, more));
    }),
  );
});

describe('a different country', () => {
  const differs = { relation: 'differs', ...words } as const;
  const judge = (
    name: number,
    more: Partial<IdentifierComparison> & { birthDate?: SubjectVerdict['birthDate'] } = {},
  ) => {
    const { birthDate = 'unknown', relation, ...of } = more;
    const told = { isForLife: false, isOfOneRegister: false, isContradicted: false, ...words, ...of };
    const identifier = relation && { relation, ...told };
    const context = { country: differs, ...(identifier && { identifier }) };
    return judgeSubject({ name, birthDate, context, isOtherKind: false });
  };

  it('leaves a complete name at a stop score and lowers others accordingly', () => {
    expect([1, 0.98, 0.9799, 0.95, 0.86].map((name) => judge(name))).toEqual([0.96, 0.95, 0.9407, 0.912, 0.8256]);
  });

  it('hardly affects a number from a worldwide register', () => {
    expect(judge(0, { relation: 'equal', isOfOneRegister: true })).toBe(0.96);
    expect(judge(0, { relation: 'equal', isOfOneRegister: true, birthDate: 'apart' })).toBe(0.89);
  });

  it('affects national numbers more, but keeps names worth a review above the threshold', () => {
    expect([0, 0.8499, 0.85, 1].map((name) => judge(name, { relation: 'equal' }))).toEqual([
      0.91, 0.9355, 0.9655, 0.97,
    ]);
    expect(judge(0.85, { relation: 'shared' })).toBe(0.9655);
    expect(judge(0.8499, { relation: 'shared' })).toBeLessThan(0.85);
    expect(judge(0, { relation: 'equal', birthDate: 'apart' })).toBe(0.84);
  });
});

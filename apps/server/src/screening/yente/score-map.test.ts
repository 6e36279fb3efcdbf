import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CANDIDATE_FLOOR } from '@limen/screening';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromYenteScore, toYenteScore } from './score-map.ts';

const ourScore = fc.nat(10_000).map((step) => step / 10_000);

describe('yente scores', () => {
  it.each([
    [0, 0],
    [0.85, 0.7],
    [0.95, 0.9],
    [1, 1],
  ])('map %d to %d, and back', (ours, theirs) => {
    expect(toYenteScore(ours)).toBe(theirs);
    expect(fromYenteScore(theirs)).toBe(ours);
  });

  it('begin at the documented value', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../../docs/yente.md'), 'utf8');
    const documented = /Candidates below ([\d.]+) on\s+Limen's scale\s+\(([\d.]+) on yente's/
      .exec(page)
      ?.slice(1)
      .map(Number);
    expect(documented).toEqual([CANDIDATE_FLOOR, toYenteScore(CANDIDATE_FLOOR)]);
  });

  it('are monotonic in ours', () => {
    for (let step = 1; step <= 10_000; step += 1)
      expect(toYenteScore(step / 10_000)).toBeGreaterThan(toYenteScore((step - 1) / 10_000));
  });

  it('survive a round trip exactly', () => {
    fc.assert(
      fc.property(ourScore, (ours) => {
        expect(fromYenteScore(toYenteScore(ours))).toBe(ours);
      }),
    );
  });

  it('decide as ours do at any threshold', () => {
    const threshold = fc.double({ min: -0.5, max: 1.5, noNaN: true });
    fc.assert(
      fc.property(ourScore, threshold, (ours, theirs) => {
        expect(ours >= fromYenteScore(theirs)).toBe(toYenteScore(ours) >= theirs);
      }),
    );
  });
});

// Compares stored with current matches and decides which alerts to send.
import type { HitDecision, SubjectMatch } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import type { HitFinding } from './contents.ts';
import { diffHits } from './diff-hits.ts';

const EVERYTHING = { concerns: (_id: string) => true, isSettled: (_list: string) => true };

function finding(id: string, { score = 0.97, entry = 'a', list = 'north' } = {}): HitFinding {
  const match = { id, score } as SubjectMatch;
  const sides = { engineVersion: '1', subjectHash: 's', dataset: 'default', others: [], match };
  return { list, listVersion: '1', entryHash: entry, ...sides };
}

const changesOf = (stored: HitFinding[], found: HitFinding[], looked = EVERYTHING) =>
  diffHits(stored, found, looked).map(({ change, ...sides }) => [
    change,
    ('found' in sides ? sides.found : sides.stored).match.id,
  ]);

describe('a hit', () => {
  it('is new, changed, removed or unchanged', () => {
    const stored = [finding('same'), finding('other'), finding('gone')];
    const found = [finding('same'), finding('other', { entry: 'b' }), finding('more')];
    expect(changesOf(stored, found)).toEqual([
      ['changed', 'other'],
      ['new', 'more'],
      ['removed', 'gone'],
    ]);
  });

  it.each([
    [0.86, 0.94, 'refreshed'],
    [0.94, 0.95, 'changed'],
    [0.85, 0.84, 'changed'],
    [0.99, 0.96, 'refreshed'],
  ])('from %f to %f is %s', (before, after, change) => {
    expect(changesOf([finding('x', { score: before })], [finding('x', { score: after })])).toEqual([[change, 'x']]);
  });

  it.each([
    [0.86, 0.87, 0.9, 'refreshed'],
    [0.86, 0.9, 0.91, 'changed'],
    [0.93, 0.92, 0.9, 'refreshed'],
  ])(
    'decided at %f, then %f and now %f is %s: slowly growing evidence does not keep a decision',
    (at, before, now, change) => {
      const decided = { score: at, decision: {} as HitDecision };
      const stored = { ...finding('x', { score: before }), decided };
      expect(changesOf([stored], [finding('x', { score: now })])).toEqual([[change, 'x']]);
    },
  );

  it('of another engine with the same outcome is only updated', () => {
    const found = { ...finding('x'), engineVersion: '2' };
    expect(changesOf([finding('x')], [found])).toEqual([['seen', 'x']]);
  });

  it('is not removed while its list cannot be searched', () => {
    const stored = [finding('a', { list: 'north' }), finding('b', { list: 'south' })];
    const looked = { ...EVERYTHING, isSettled: (list: string) => list === 'south' };
    expect(changesOf(stored, [], looked)).toEqual([['removed', 'b']]);
  });

  it('is left unchanged if it is not affected', () => {
    const looked = { ...EVERYTHING, concerns: (id: string) => id === 'a' };
    const stored = [finding('a'), finding('b')];
    expect(changesOf(stored, [finding('b', { entry: 'z' }), finding('c')], looked)).toEqual([['removed', 'a']]);
  });
});

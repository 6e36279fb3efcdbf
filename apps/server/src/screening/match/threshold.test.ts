import { describe, expect, it } from 'vitest';
import { effectiveThreshold, readThreshold } from './threshold.ts';

describe('the threshold', () => {
  it.each([
    [undefined, 0.95],
    ['0', 0],
    ['1', 1],
    ['1.0', 1],
    ['.5', 0.5],
    ['.95', 0.95],
  ])('accepts %j as %d', (given, threshold) => {
    expect(readThreshold(given === undefined ? {} : { scoreThreshold: given })).toBe(threshold);
  });

  it.each([
    '',
    ' ',
    'high',
    'NaN',
    'Infinity',
    '0x1',
    '1.01',
    '-0.1',
    '0,9',
    '1e400',
    '-0',
    '+1',
    '85e-2',
    ['0.9', '0.8'],
    '٠',
  ])('rejects %j', (given) => {
    expect(() => readThreshold({ scoreThreshold: given })).toThrow(
      'query.scoreThreshold must be one number from 0 to 1',
    );
  });

  it('below the floor acts as the floor', () => {
    expect([0, 0.3, 0.5, 0.7].map(effectiveThreshold)).toEqual([0.5, 0.5, 0.5, 0.7]);
  });
});

it('ignores query parameters that have nothing to do with a threshold', () => {
  expect(readThreshold({ trace: '1', scoreThreshold: '0.9' })).toBe(0.9);
  expect(() => readThreshold({ minScore: '0.5' })).toThrow('scoreThreshold');
});

// Counts in words: singular, plural and thousands separators.
import { expect, it } from 'vitest';
import { countEntities, formatCount } from './count-of.ts';

it('counts in words', () => {
  expect([0, 1, 2, 17_832].map(countEntities)).toEqual(['0 entities', '1 entity', '2 entities', '17,832 entities']);
  expect([formatCount(1, 'record'), formatCount(3, 'record')]).toEqual(['1 record', '3 records']);
});

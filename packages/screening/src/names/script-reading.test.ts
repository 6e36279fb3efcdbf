// Latin spellings as which a word without short vowels can be read.
import { describe, expect, test } from 'vitest';
import { readsAs, scriptSkeletons } from './script-reading.ts';

describe('readsAs', () => {
  test.each([
    ['snwar', 'sinwar'],
    ['hnyh', 'haniyeh'],
    ['hnyh', 'haniya'],
    ['dhyf', 'deif'],
    ['shykaw', 'shekau'],
    ['prwyz', 'parviz'],
    ['sehrawy', 'sahraoui'],
    ['mwsy', 'moussa'],
    ['keby', 'kaabi'],
    ['emran', 'imran'],
    ['jmal', 'gamal'],
    ['bwbkr', 'boubakar'],
  ])('accepts %s for %s', (script, latin) => expect(readsAs(script, latin)).toBe(true));

  test.each([
    ['snwar', 'sonar'],
    ['snwar', 'sunar'],
    ['dhyf', 'atef'],
    ['hsn', 'husayn'],
    ['salm', 'sulaym'],
    ['mlk', 'malika'],
    ['', 'a'],
    ['snwar', ''],
  ])('rejects %s for %s', (script, latin) => expect(readsAs(script, latin)).toBe(false));

  test('takes time bounded by both lengths', () => {
    expect(readsAs('a'.repeat(48), `${'a'.repeat(47)}x`)).toBe(false);
  });
});

test('returns the consonants of each possible reading of ambiguous letters', () => {
  expect(scriptSkeletons('prwyz')).toEqual(['brs', 'brfs']);
  expect(scriptSkeletons('azehr')).toEqual(['shr', 'jr']);
  expect(scriptSkeletons('wdhwthwj').length).toBeLessThanOrEqual(8);
});

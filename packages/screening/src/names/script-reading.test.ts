// Which Latin spellings a word without short vowels can be read as.
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
  ])('%s is %s', (script, latin) => expect(readsAs(script, latin)).toBe(true));

  test.each([
    ['snwar', 'sonar'],
    ['snwar', 'sunar'],
    ['dhyf', 'atef'],
    ['hsn', 'husayn'],
    ['salm', 'sulaym'],
    ['mlk', 'malika'],
    ['', 'a'],
    ['snwar', ''],
  ])('%s is not %s', (script, latin) => expect(readsAs(script, latin)).toBe(false));

  test('the work does not grow beyond the lengths of both', () => {
    expect(readsAs('a'.repeat(48), `${'a'.repeat(47)}x`)).toBe(false);
  });
});

test('letters that are other consonants elsewhere have the consonants of each', () => {
  expect(scriptSkeletons('prwyz')).toEqual(['brs', 'brfs']);
  expect(scriptSkeletons('azehr')).toEqual(['shr', 'jr']);
  expect(scriptSkeletons('wdhwthwj').length).toBeLessThanOrEqual(8);
});

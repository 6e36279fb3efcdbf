// What is compared of an identifier, and which ones tell nobody.
import { expect, it } from 'vitest';
import { identifierKeys, normaliseIdentifier } from './normalise.ts';

it.each([
  ['IMO 9074729', '9074729'],
  ['imo9074729', '9074729'],
  ['9074-729', '9074729'],
  ['ab 12.34/56', 'AB123456'],
  ['ＡＢ１２３４５', 'AB12345'],
  ['deutdeff', 'DEUTDEFF'],
  ['0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B', '0XAB5801A7D398351B8BE11C439E05C5B3259AEC9B'],
])('compares letters and digits: %s', (text, normalised) => {
  expect(normaliseIdentifier(text)).toBe(normalised);
});

it.each(['', '1234', '0000000', '--------', 'unknown', 'not available', '9'.repeat(121)])(
  'leaves out what tells nobody: %s',
  (text) => {
    expect(normaliseIdentifier(text)).toBeNull();
  },
);

it('finds by those that are given to one holder, and by each once', () => {
  const keys = identifierKeys([
    { kind: 'imoNumber', value: 'IMO 9074729' },
    { kind: 'imoNumber', value: '9074729' },
    { kind: 'callSign', value: 'HP12345' },
  ]);
  expect(keys.size).toBe(1);
});

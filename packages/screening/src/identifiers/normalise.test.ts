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
  ['SABRRUMMXXX', 'SABRRUMM'],
  ['SABRRUMM001', 'SABRRUMM001'],
  ['IMO No. 9074729', '9074729'],
  ['IMO number: 9074729', '9074729'],
  ['4508 №123456', '4508123456'],
  ['No. AB1234567', 'AB1234567'],
  ['Nr: AB1234567', 'AB1234567'],
  ['N° AB1234567', 'AB1234567'],
  ['Number AB1234567', 'AB1234567'],
  ['NO 1234567', 'NO1234567'],
  ['АВ1234567', 'AB1234567'],
  ['ΑΒ1234567', 'AB1234567'],
  ['ЮЯ1234567', 'ЮЯ1234567'],
  ['٤٥٠٨١٢٣٤٥٦', '4508123456'],
  ['४५०८१२३४५६', '4508123456'],
  ['bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1', '1A1ZP1EP5QGEFI2DMPTFTL5SLMV7DIVFNA'],
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

// Normalization of identifiers, and values that identify no one.
import { expect, it } from 'vitest';
import { identifierKeys, identifierLookupKeys, normalizeIdentifier } from './normalise.ts';

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
  ['9074729 IMO', '9074729'],
  ['INN 7707083893', '7707083893'],
  ['ИНН7707083893', '7707083893'],
  ['инн: 7707083893', '7707083893'],
  ['CPF 123.456.789-09', '12345678909'],
  ['RUC: 20100070970', '20100070970'],
  ['Passport 750012345', '750012345'],
  ['Passport No AB123456', 'AB123456'],
  ['Tax ID 12-3456789', '123456789'],
  ['BIC/SWIFT: SABRRUMM', 'SABRRUMM'],
  ['LEI: 529900T8BM49AURSDO55', '529900T8BM49AURSDO55'],
  ['TINA12345', 'TINA12345'],
  ['RUC12345AB', 'RUC12345AB'],
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
])('compares only letters and digits: %s', (text, normalized) => {
  expect(normalizeIdentifier(text)).toBe(normalized);
});

it.each(['', '1234', '0000000', '--------', 'unknown', 'not available', 'passport required', '9'.repeat(121)])(
  'drops values that identify no one: %s',
  (text) => {
    expect(normalizeIdentifier(text)).toBeNull();
  },
);

it("finds a branch of a bank by the bank's code", () => {
  expect(identifierLookupKeys('SABRRUMMNA1')).toContain(identifierLookupKeys('SABRRUMM')[0]);
});

it('indexes each strong identifier once', () => {
  const keys = identifierKeys([
    { kind: 'imoNumber', value: 'IMO 9074729' },
    { kind: 'imoNumber', value: '9074729' },
    { kind: 'callSign', value: 'HP12345' },
  ]);
  expect(keys.size).toBe(1);
});

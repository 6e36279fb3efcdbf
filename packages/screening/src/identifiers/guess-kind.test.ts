// Values that reveal their kind, and similar values that do not.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guessKind } from './guess-kind.ts';
import { IDENTIFIER_KINDS } from './kinds.ts';

it.each([
  ['IMO1234567', 'imoNumber'],
  ['imo 9074729', 'imoNumber'],
  ['IMO No. 9074729', 'imoNumber'],
  ['9074729 IMO', 'imoNumber'],
  ['INN 7707083893', 'innCode'],
  ['ИНН 7707083893', 'innCode'],
  ['Passport: 750012345', 'passportNumber'],
  ['529900T8BM49AURSDO55', 'leiCode'],
  ['US0378331005', 'isin'],
  ['XS0000000009', 'isin'],
  ['DEUTDEFF', 'swiftBic'],
  ['HAVIGB2L', 'swiftBic'],
  ['deutdeff500', 'swiftBic'],
  ['0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B', 'publicKey'],
  ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'publicKey'],
])('guesses that %s is of the kind %s', (text, kind) => {
  expect(guessKind(text)).toBe(kind);
});

it.each([
  ['seven digits may be anything', '9074729'],
  ['a LEI with two digits changed', '529900T8BM49AURSDO56'],
  ['an ISIN with a digit changed', 'US0378331006'],
  ['an ISIN of no country', 'QQ0378331005'],
  ['eight letters without a country', 'DEUTQQFF'],
  ['a passport', 'K1234567'],
  ['a tax number of twenty digits', '12345678901234567890'],
  ['nothing', ''],
])('does not guess the kind of %s: %s', (_, text) => {
  expect(guessKind(text)).toBe('identifier');
});

it('returns a known kind for any text', () => {
  fc.assert(fc.property(fc.string(), (text) => Object.hasOwn(IDENTIFIER_KINDS, guessKind(text))));
});

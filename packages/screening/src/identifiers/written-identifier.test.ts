import { expect, it } from 'vitest';
import { IDENTIFIER_KINDS } from './kinds.ts';
import { findIdentifierKind, splitIdentifier } from './written-identifier.ts';

it.each([
  ['passport:N 123', { kind: 'passport', value: 'N 123' }],
  [' imoNumber : 9074729 ', { kind: 'imoNumber', value: '9074729' }],
  ['9074729', { value: '9074729' }],
  ['12:34567', { value: '12:34567' }],
  ['imo:', { value: 'imo:' }],
])('parses %j as %j', (text, read) => {
  expect(splitIdentifier(text)).toEqual(read);
});

it('recognizes kinds by full and short names, in any case', () => {
  for (const kind of Object.keys(IDENTIFIER_KINDS)) expect(findIdentifierKind(kind.toUpperCase())).toBe(kind);
  expect(['passport', 'IMO', 'Lei', 'wallet'].map(findIdentifierKind)).toEqual([
    ...['passportNumber', 'imoNumber', 'leiCode', 'publicKey'],
  ]);
  expect(findIdentifierKind('shoe')).toBeUndefined();
});

// Kinds of identifiers that are compared with each other.
import { expect, it } from 'vitest';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../identifiers/kinds.ts';
import { mayBeSame } from './compare-identifiers.ts';

const KINDS = Object.keys(IDENTIFIER_KINDS) as IdentifierKind[];

it.each<[IdentifierKind, IdentifierKind]>([
  ['taxNumber', 'passportNumber'],
  ['registrationNumber', 'passportNumber'],
  ['socialSecurityNumber', 'passportNumber'],
  ['innCode', 'ogrnCode'],
  ['taxNumber', 'ogrnCode'],
  ['imoNumber', 'passportNumber'],
  ['imoNumber', 'mmsi'],
  ['swiftBic', 'leiCode'],
])('never compares %s with %s', (a, b) => {
  expect([mayBeSame(a, b), mayBeSame(b, a)]).toEqual([false, false]);
});

it.each<[IdentifierKind, IdentifierKind]>([
  ['taxNumber', 'innCode'],
  ['taxNumber', 'registrationNumber'],
  ['idNumber', 'passportNumber'],
  ['idNumber', 'taxNumber'],
])('compares %s with %s, which lists confuse', (a, b) => {
  expect([mayBeSame(a, b), mayBeSame(b, a)]).toEqual([true, true]);
});

it.each(KINDS)('compares %s with itself and with unknown kinds', (kind) => {
  expect([mayBeSame(kind, kind), mayBeSame(kind, 'identifier'), mayBeSame('identifier', kind)]).not.toContain(false);
  expect(mayBeSame(undefined, kind)).toBe(true);
});

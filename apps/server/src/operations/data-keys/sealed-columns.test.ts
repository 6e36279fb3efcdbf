// Nothing sealed is forgotten when everything is sealed anew.
import { expect, it } from 'vitest';
import { PRIVACY_MAP } from '../../platform/database/privacy-map.ts';
import { SEALED_TABLE_NAMES } from '../../platform/sealing/sealed-tables.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';

/** Wrapped by the master key; and sealed anew with its whole row. */
const ELSEWHERE = ['data_keys.wrapped', 'api_keys.sealed_key'];

it('has every column that the privacy map calls sealed', () => {
  const sealed = Object.entries(PRIVACY_MAP).flatMap(([table, { columns }]) =>
    Object.entries(columns)
      .filter(([, entry]) => [entry].flat()[0] === 'sealed')
      .map(([column]) => `${table}.${column}`),
  );
  const listed = Object.entries(SEALED_COLUMNS).flatMap(([table, { places }]) =>
    Object.keys(places).map((column) => `${table}.${column}`),
  );
  expect([...listed, ...ELSEWHERE].sort()).toEqual(sealed.sort());
});

it('has every table whose rows have a seal', () => {
  const withSeal = Object.entries(PRIVACY_MAP).filter(([, { columns }]) => 'mac' in columns);
  expect([...SEALED_TABLE_NAMES].sort()).toEqual(withSeal.map(([table]) => table).sort());
});

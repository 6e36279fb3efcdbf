// New data keys reach everything that is sealed.
import { expect, it } from 'vitest';
import { TABLES } from '../../tables.ts';

it('every sealed column has a place, but keys under the master key', () => {
  const without = Object.entries(TABLES).flatMap(([table, { columns, places }]) =>
    Object.entries(columns)
      .filter(([column, { protection }]) => (protection === 'sealed') !== (places?.[column] !== undefined))
      .map(([column]) => `${table}.${column}`),
  );
  expect(without).toEqual(['data_keys.wrapped']);
});

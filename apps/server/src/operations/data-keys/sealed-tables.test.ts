// A data key rotation covers every sealed column.
import { expect, it } from 'vitest';
import { TABLES } from '../../tables.ts';

it('lists every sealed column except keys under the master key', () => {
  const without = Object.entries(TABLES).flatMap(([table, { columns, places }]) =>
    Object.entries(columns)
      .filter(([column, { protection }]) => (protection === 'sealed') !== (places?.[column] !== undefined))
      .map(([column]) => `${table}.${column}`),
  );
  expect(without).toEqual(['data_keys.wrapped']);
});

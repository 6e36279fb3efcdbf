// Lookup of records by id hash, including collisions and growth.
import { expect, it } from 'vitest';
import { createIdTable } from './id-table.ts';

it('finds every added record and no other', () => {
  const table = createIdTable();
  const hashes = Array.from({ length: 5_000 }, (_, record) => record * 1_024);
  for (const hash of hashes) table.add(hash);
  for (const [record, hash] of hashes.entries()) expect([...table.find(hash)]).toEqual([record]);
  expect([...table.find(5)]).toEqual([]);
});

it('returns all records that share a hash', () => {
  const table = createIdTable();
  for (const hash of [7, 2 ** 53 - 1, 7]) table.add(hash);
  expect([...table.find(7)]).toEqual([0, 2]);
  expect([...table.find(2 ** 53 - 1)]).toEqual([1]);
});

it('finds nothing after being freed', () => {
  const table = createIdTable();
  table.add(7);
  table.free();
  expect([...table.find(7)]).toEqual([]);
});

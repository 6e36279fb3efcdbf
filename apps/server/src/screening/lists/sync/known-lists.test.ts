// The table of known lists: each can be added by name, and names and addresses are unique.
import { expect, it } from 'vitest';
import { isDatasetName } from '../folder/names.ts';
import { findKnownList, KNOWN_LISTS, listAddresses } from './known-lists.ts';

it('has more than thirty lists with unique, valid names', () => {
  const names = KNOWN_LISTS.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(30);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !isDatasetName(name))).toEqual([]);
});

it('has HTTPS addresses without duplicates, the main file first', () => {
  const addresses = KNOWN_LISTS.flatMap(listAddresses);
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(addresses.filter((address) => new URL(address).protocol !== 'https:')).toEqual([]);
  for (const { remote } of KNOWN_LISTS) if (remote.kind === 'files') expect(remote.files[0]!.role).toBe('main');
});

it("uses publishers' own files if a loader exists, and OpenSanctions' format otherwise", () => {
  expect(findKnownList('us_ofac_cons')).toMatchObject({ from: 'publisher', format: 'ofac-csv' });
  expect(findKnownList('ca_dfatd_sema_sanctions')?.remote).toEqual({
    kind: 'opensanctions',
    indexUrl: 'https://data.opensanctions.org/datasets/latest/ca_dfatd_sema_sanctions/index.json',
  });
  expect(findKnownList('house_list')).toBeUndefined();
});

// Owners in the live and the test world, and the unique key of each.
import { expect, it } from 'vitest';
import { named } from '../base/ids.ts';
import type { World } from '../base/world.ts';
import { formatOwner, isSameOwner, ownerFrom, toOwner } from './owner.ts';

const CUSTOMERS = ['acme', 'b', '', '@test/acme', '@live/acme', '@test/@live/acme', '@live/@test/acme', '@testacme'];
const ALL = (['live', 'test'] as const).flatMap((world: World) =>
  CUSTOMERS.map((customer) => ownerFrom({ customer: named(customer), world })),
);

it('assigns the live world only to live keys, and a key without a customer to itself', () => {
  const owner = (kind: 'live' | 'test' | 'development', customer_id: string | null) =>
    toOwner({ id: 'key', customer_id, kind });
  expect(owner('live', 'acme')).toEqual({ customer: 'acme', world: 'live' });
  expect(owner('test', 'acme')).toEqual({ customer: 'acme', world: 'test' });
  expect(owner('development', null)).toEqual({ customer: 'key', world: 'test' });
});

it('gives every owner a different name, whatever the customer is called', () => {
  expect(new Set(ALL.map(formatOwner)).size).toBe(ALL.length);
  for (const owner of ALL) {
    expect(ALL.filter((candidate) => isSameOwner(owner, candidate))).toEqual([owner]);
  }
});

it("keeps the name under which the key-holder stores a live customer's keys", () => {
  expect(formatOwner(ownerFrom({ customer: named('acme'), world: 'live' }))).toBe('acme');
});

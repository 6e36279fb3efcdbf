// Owners of two worlds, and the one word for each.
import { expect, it } from 'vitest';
import { named } from '../base/ids.ts';
import type { World } from '../base/world.ts';
import { formatOwner, isSameOwner, ownerFrom, toOwner } from './owner.ts';

const CUSTOMERS = ['acme', 'b', '', '@test/acme', '@live/acme', '@test/@live/acme', '@live/@test/acme', '@testacme'];
const ALL = (['live', 'test'] as const).flatMap((world: World) =>
  CUSTOMERS.map((customer) => ownerFrom({ customer: named(customer), world })),
);

it('a key is of the live world only when it is a live key, and its own customer when it has none', () => {
  const owner = (kind: 'live' | 'test' | 'development', customer_id: string | null) =>
    toOwner({ id: 'key', customer_id, kind });
  expect(owner('live', 'acme')).toEqual({ customer: 'acme', world: 'live' });
  expect(owner('test', 'acme')).toEqual({ customer: 'acme', world: 'test' });
  expect(owner('development', null)).toEqual({ customer: 'key', world: 'test' });
});

it('no two owners share a name, whatever a customer calls itself', () => {
  expect(new Set(ALL.map(formatOwner)).size).toBe(ALL.length);
  for (const one of ALL) {
    expect(ALL.filter((other) => isSameOwner(one, other))).toEqual([one]);
  }
});

it('a live customer keeps the name that the key-holder has its keys under', () => {
  expect(formatOwner(ownerFrom({ customer: named('acme'), world: 'live' }))).toBe('acme');
});

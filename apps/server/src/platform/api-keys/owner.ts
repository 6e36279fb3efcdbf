// Owners of rows: a customer in one of two separate worlds. Live keys see what live keys made; test and development keys see what
// such keys made. Every lookup takes an owner, so a lookup without the world does not compile.
import { type CustomerId, named } from '../base/ids.ts';
import type { World } from '../base/world.ts';
import type { ApiKeyRow } from './store.ts';

declare const ownerBrand: unique symbol;
declare const nameBrand: unique symbol;

/** Derived from a key or a row, or named by the operator on the command line; never taken from a request */
export interface Owner {
  readonly customer: CustomerId;
  readonly world: World;
  readonly [ownerBrand]: true;
}

export type OwnerName = string & { readonly [nameBrand]: true };

export interface OwnerColumns {
  customer: CustomerId;
  world: World;
}

export function toOwner({ id, customer_id, kind }: Pick<ApiKeyRow, 'id' | 'customer_id' | 'kind'>): Owner {
  return ownerFrom({ customer: named(customer_id ?? id), world: kind === 'live' ? 'live' : 'test' });
}

export function ownerFrom({ customer, world }: OwnerColumns): Owner {
  return { customer, world } as Owner;
}

export function ownerColumns({ customer, world }: Owner): OwnerColumns {
  return { customer, world };
}

export function isSameOwner(left: Owner, right: Owner): boolean {
  return left.customer === right.customer && left.world === right.world;
}

/** Prefix of the names of test owners, and of no others */
export const TEST_PREFIX = '@test/';
const LIVE_PREFIX = '@live/';

/** Names a live customer by its own name. A prefix keeps a customer's name that looks like a prefix from passing for another owner. */
export function formatOwner({ customer, world }: Owner): OwnerName {
  const isPlain = !customer.startsWith(TEST_PREFIX) && !customer.startsWith(LIVE_PREFIX);
  const name = world === 'live' ? `${isPlain ? '' : LIVE_PREFIX}${customer}` : `${TEST_PREFIX}${customer}`;
  return name as OwnerName;
}

export function parseWorld(name: OwnerName): World {
  return name.startsWith(TEST_PREFIX) ? 'test' : 'live';
}

/** Owner of everything that was made without a key, in an open area */
export const NO_OWNER = '' as OwnerName;

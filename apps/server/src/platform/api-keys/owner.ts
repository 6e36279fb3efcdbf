// Whose something is: a customer, in one of two worlds that never meet. Live keys see what live keys made, test and
// development keys what such keys made. Every look-up asks for an owner, so one without the world does not compile.
import { type CustomerId, named } from '../base/ids.ts';
import type { World } from '../base/world.ts';
import type { ApiKeyRow } from './store.ts';

declare const ownerBrand: unique symbol;
declare const nameBrand: unique symbol;

/** Made from a key, read back from a row, or named by the operator on the command line; a request never says it. */
export interface Owner {
  readonly customer: CustomerId;
  readonly world: World;
  readonly [ownerBrand]: true;
}

/** An owner in one word: no two owners share it, and what is not an owner's has none. */
export type OwnerName = string & { readonly [nameBrand]: true };

/** The columns of a row that say whose it is. */
export interface OwnerColumns {
  customer: CustomerId;
  world: World;
}

export function ownerOf({ id, customer_id, kind }: Pick<ApiKeyRow, 'id' | 'customer_id' | 'kind'>): Owner {
  return brand({ customer: named(customer_id ?? id), world: kind === 'live' ? 'live' : 'test' });
}

export function ownerFrom({ customer, world }: OwnerColumns): Owner {
  return brand({ customer, world });
}

/** For `where` and `values`. */
export function columnsOf({ customer, world }: Owner): OwnerColumns {
  return { customer, world };
}

export function isSameOwner(one: Owner, other: Owner): boolean {
  return one.customer === other.customer && one.world === other.world;
}

/** How the names of owners in the test world begin, and no others. */
export const TEST_PREFIX = '@test/';
const LIVE_PREFIX = '@live/';

/**
 * Names a live customer by its own name. A name that begins like a prefix gets a prefix itself, so that it cannot pass for
 * another customer.
 */
export function nameOf({ customer, world }: Owner): OwnerName {
  const isPlain = !customer.startsWith(TEST_PREFIX) && !customer.startsWith(LIVE_PREFIX);
  const name = world === 'live' ? `${isPlain ? '' : LIVE_PREFIX}${customer}` : `${TEST_PREFIX}${customer}`;
  return name as OwnerName;
}

export function worldOf(name: OwnerName): World {
  return name.startsWith(TEST_PREFIX) ? 'test' : 'live';
}

/** What was made without a key, in an area that is open. */
export const NO_OWNER = '' as OwnerName;

function brand(columns: OwnerColumns): Owner {
  return columns as Owner;
}

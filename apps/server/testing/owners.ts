// Owners by name, for tests that have no API key.
import { type Owner, ownerFrom } from '../src/platform/api-keys/owner.ts';
import { named } from '../src/platform/base/ids.ts';

export function liveOwner(customer: string): Owner {
  return ownerFrom({ customer: named(customer), world: 'live' });
}

export function testOwner(customer: string): Owner {
  return ownerFrom({ customer: named(customer), world: 'test' });
}

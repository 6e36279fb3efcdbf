// Owners by name, for tests that have no API key.
import { type Owner, ownerFrom } from '../src/platform/api-keys/owner.ts';

export function liveOwner(customer: string): Owner {
  return ownerFrom({ customer, world: 'live' });
}

export function testOwner(customer: string): Owner {
  return ownerFrom({ customer, world: 'test' });
}

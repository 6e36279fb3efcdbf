// Tells whether an address leads into a private network at this moment.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { classifyAddress } from './classify-address.ts';

/** False for a name that does not resolve: the call itself will say so. */
export async function leadsToPrivate(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return classifyAddress(host) === 'private';
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.some(({ address }) => classifyAddress(address) === 'private');
}

// Outbound calls for lists: large files, from publishers that take their time.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { classifyAddress } from './classify-address.ts';
import { createOutbound, type Outbound } from './guarded-fetch.ts';

export interface ListOutbound {
  /**
   * The operator chose the address, so it may be a private one. What a publisher on the internet names (a redirect, a
   * file in an index) was not chosen by the operator, and does not get into the private network.
   */
  startingAt(url: string): Promise<ChosenOutbound>;
  /** For a refresh: as it was decided when the list was added, whatever its name resolves to today. */
  asBefore(allowPrivate: boolean): ChosenOutbound;
  close(): Promise<void>;
}

export interface ChosenOutbound {
  outbound: Outbound;
  allowPrivate: boolean;
}

const PATIENCE = {
  maxConcurrent: 2,
  headersTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 4 * 3_600_000,
  maxRedirects: 5,
};

export function createListOutbound(): ListOutbound {
  const within = createOutbound({ ...PATIENCE, allowPrivate: true });
  const outside = createOutbound({ ...PATIENCE, allowPrivate: false });
  const asBefore = (allowPrivate: boolean) => ({ outbound: allowPrivate ? within : outside, allowPrivate });
  return {
    startingAt: async (url) => asBefore(await leadsToPrivate(url)),
    asBefore,
    async close() {
      await Promise.all([within.close(), outside.close()]);
    },
  };
}

/** Whether an address leads into a private network now. Returns false for a name that does not resolve: the call itself fails then. */
export async function leadsToPrivate(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return classifyAddress(host) === 'private';
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.some(({ address }) => classifyAddress(address) === 'private');
}

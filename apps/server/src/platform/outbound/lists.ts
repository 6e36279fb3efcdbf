// Outbound calls for lists: large files from slow publishers.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { classifyAddress } from './classify-address.ts';
import { createOutbound } from './guarded-fetch.ts';

const PATIENCE = {
  maxConcurrent: 2,
  headersTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 4 * 3_600_000,
  maxRedirects: 5,
};

export type ListOutbound = ReturnType<typeof createListOutbound>;

export function createListOutbound() {
  const within = createOutbound({ ...PATIENCE, allowPrivate: true });
  const outside = createOutbound({ ...PATIENCE, allowPrivate: false });
  const asBefore = (allowPrivate: boolean) => ({ outbound: allowPrivate ? within : outside, allowPrivate });
  return {
    /**
     * For an address of the operator's choice, which may be private. From a public address,
     * redirects and named files must not lead into the private network.
     */
    startingAt: async (url: string) => asBefore(await leadsToPrivate(url)),
    /** For a refresh: keeps the decision of the first call, even if the name resolves differently today. */
    asBefore,
    async close() {
      await Promise.all([within.close(), outside.close()]);
    },
  };
}

/** Whether an address leads into a private network now. Returns false for a name that does not resolve; the call itself fails then. */
export async function leadsToPrivate(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return classifyAddress(host) === 'private';
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.some(({ address }) => classifyAddress(address) === 'private');
}
